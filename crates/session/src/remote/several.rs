//! Runs several candidates in one action, for clusters whose overhead exceeds the time of a run.
//!
//! A shell runs them in turn, and writes the status and output of each.

use nubbin_oracle::Status;
use std::time::Duration;

/// The shell script. Its arguments are the number of candidates, each in its own directory, the working directory
/// relative to that, the number of bytes of each output, and the command.
pub(super) const SCRIPT: &str = r#"n=$1 d=$2 m=$3 i=0; shift 3
while [ "$i" -lt "$n" ]; do
  ( cd "./$i/$d" && exec "$@" ) >"$i.out" 2>"$i.err" </dev/null
  s=$?
  for o in out err; do tail -c "$m" "$i.$o" >"$i.$o.end"; done
  echo "$i" "$s" $(wc -c <"$i.out.end") $(wc -c <"$i.err.end")
  cat "$i.out.end" "$i.err.end"
  i=$((i+1))
done
"#;

/// The result of one of several runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub status: Status,
    pub outputs: [Vec<u8>; 2],
    pub elapsed: Duration,
}

/// Parses the output of the script for `number` runs, which took `elapsed` together; returns `None` if it is
/// malformed.
pub(super) fn read(mut text: &[u8], number: usize, elapsed: Duration) -> Option<Vec<Run>> {
    let mut runs = Vec::with_capacity(number);
    for at in 0..number {
        let end = text.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(&text[..end]).ok()?;
        let fields: Vec<usize> = line.split(' ').map(|field| field.parse().ok()).collect::<Option<_>>()?;
        let [index, status, out, err] = fields[..] else { return None };
        let outputs = text.get(end + 1..)?;
        if index != at || outputs.len() < out + err {
            return None;
        }
        runs.push(Run {
            status: Status::Exit(i32::try_from(status).ok()?),
            outputs: [outputs[..out].to_vec(), outputs[out..out + err].to_vec()],
            elapsed: elapsed / u32::try_from(number).ok()?,
        });
        text = &outputs[out + err..];
    }
    text.is_empty().then_some(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;

    #[test]
    fn what_the_shell_writes_about_several_runs_is_read() {
        let folder = tempfile::tempdir().expect("a directory");
        for (at, text) in
            ["exit 3", "echo out; echo err >&2; printf 'no end'", "kill -9 $$"].iter().enumerate()
        {
            fs::create_dir_all(folder.path().join(at.to_string()).join("in")).expect("it is made");
            fs::write(folder.path().join(at.to_string()).join("in/a.sh"), text).expect("it is written");
        }
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "sh", "3", "in", "100", "sh", "./a.sh"]).current_dir(folder.path());
        let said = shell.output().expect("there is a shell").stdout;
        let runs = read(&said, 3, Duration::from_secs(3)).expect("it makes sense");
        let run = |status, out: &str, err: &str| Run {
            status: Status::Exit(status),
            outputs: [out.into(), err.into()],
            elapsed: Duration::from_secs(1),
        };
        assert_eq!(runs, [run(3, "", ""), run(0, "out\nno end", "err\n"), run(137, "", "")]);
        assert_eq!(read(&said[..said.len() - 1], 3, Duration::ZERO), None);
        assert_eq!(read(&said, 2, Duration::ZERO), None);
    }
}
