//! Measures how many actions per second a cluster runs with a given number of concurrent actions, and the CPU
//! time used here.
//!
//! ```console
//! cargo run --release -p nubbin-remote --example pace -- grpc://127.0.0.1:8980 16 500 'sleep 0.3'
//! ```

use nubbin_remote::{Action, Address, Cluster, Content, Patience};
use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [endpoint, jobs, count, command] = &words[..] else {
        return Err("usage: pace grpc://HOST:PORT JOBS COUNT COMMAND".into());
    };
    let (jobs, count): (u32, u32) = (jobs.parse()?, count.parse()?);
    let cluster = Cluster::connect(&Address::new(endpoint), &Patience::default())?;
    let next = AtomicU32::new(0);
    let (begun, used) = (Instant::now(), processor());
    let mut trips: Vec<Duration> = thread::scope(|scope| {
        let one = || {
            let mut trips = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok::<_, nubbin_remote::Error>(trips);
                }
                trips.push(run(&cluster, number, command)?);
            }
        };
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(one)).collect();
        let trips = threads.into_iter().map(|thread| thread.join().expect("no panic"));
        trips.collect::<Result<Vec<_>, _>>().map(|trips| trips.concat())
    })?;
    let (seconds, used) = (begun.elapsed().as_secs_f64(), processor().saturating_sub(used));
    trips.sort();
    println!(
        "{jobs} concurrent actions: {:.1} per second, round trip {:?} (median), {:?} (90th percentile); local CPU time per action {:.2} ms\n{:?}",
        f64::from(count) / seconds,
        trips[trips.len() / 2],
        trips[trips.len() * 9 / 10],
        used.as_secs_f64() * 1000.0 / f64::from(count),
        cluster.tally(),
    );
    Ok(())
}

/// Runs an action with a unique file.
fn run(cluster: &Cluster, number: u32, command: &str) -> Result<Duration, nubbin_remote::Error> {
    let file = format!("{number} {}", std::process::id());
    let action = Action {
        files: vec![("input".into(), Content::Bytes(file.as_bytes(), false))],
        directory: "".into(),
        words: ["/bin/sh", "-c", command].map(Into::into).into(),
        environment: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        limit: Duration::from_secs(60),
        most_output: 1 << 20,
        fresh: true,
    };
    Ok(cluster.run(&action, &|| false)?.round_trip)
}

/// Returns the CPU time that this process has used, from the system's ticks of 10 ms.
fn processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: u64 = fields.split(' ').skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}
