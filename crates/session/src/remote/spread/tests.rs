use super::*;
use crate::settings::TestCommand;
use crate::source::Input;
use crate::voice::Loudness;
use nubbin_remote::{Content, End};
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::AtomicUsize;

/// Runs actions in local directories, with a list of simulated problems.
#[derive(Debug, Default)]
struct Fake {
    actions: AtomicUsize,
    troubles: Mutex<VecDeque<Trouble>>,
    way: Duration,
}

#[derive(Clone, Copy, Debug)]
enum Trouble {
    Gone,
    Lost,
    TimedOut,
}

impl Fake {
    fn with(troubles: &[Trouble]) -> Self {
        Self { troubles: Mutex::new(troubles.iter().copied().collect()), ..Self::default() }
    }
}

impl Place for Fake {
    fn run(&self, action: &Action<'_>, _: &(dyn Fn() -> bool + Sync)) -> Result<Done, Error> {
        self.actions.fetch_add(1, Ordering::Relaxed);
        let (endpoint, since, status) = ("grpc://fake".to_owned(), Duration::ZERO, "lost".to_owned());
        let mut end = None;
        match lock(&self.troubles).pop_front() {
            Some(Trouble::Gone) => return Err(Error::Gone { endpoint, since, tries: 4, status }),
            Some(Trouble::Lost) => return Err(Error::Lost { endpoint, since, tries: 4, status }),
            Some(Trouble::TimedOut) => end = Some(End::TimedOut),
            None => {}
        }
        let folder = tempfile::tempdir().expect("a directory");
        for (path, content) in &action.files {
            let path = folder.path().join(path);
            match content {
                Content::Directory => fs::create_dir_all(path).expect("it is made"),
                Content::Bytes(bytes, _) => {
                    fs::create_dir_all(path.parent().expect("it has one")).expect("it is made");
                    fs::write(path, bytes).expect("it is written");
                }
                Content::Kept(_) | Content::Link(_) => unreachable!("these tests need none"),
            }
        }
        let mut command = Command::new(&action.words[0]);
        command.args(&action.words[1..]).current_dir(folder.path().join(&action.directory));
        let output = command.output().expect("it runs");
        let end = end.unwrap_or_else(|| End::Exit(output.status.code().unwrap_or(128 + 9)));
        let elapsed = Duration::from_millis(1);
        Ok(Done::new(end, [output.stdout, output.stderr], elapsed, elapsed + self.way))
    }
}

/// Returns a test for an `x` in the candidate, distributed between this machine and `place`, and its messages.
fn spread(
    place: Arc<Fake>,
    here: usize,
    there: usize,
    when_gone: WhenGone,
) -> (Spread, Arc<Mutex<Vec<String>>>, CommandOracle) {
    let words = ["grep", "-q", "x", "{}"].map(Into::into).to_vec();
    let test = TestCommand::script("grep".to_owned(), words);
    let mut settings = Settings::new(Input::File(PathBuf::from("a.txt")), test).expect("they make sense");
    let said = Arc::<Mutex<Vec<String>>>::default();
    let heard = Arc::clone(&said);
    settings.voice = Voice::new(Loudness::Plain, move |text| lock(&heard).push(text.to_owned()));
    settings.jobs = here.max(1);
    let remote = Remote {
        address: nubbin_remote::Address::new("grpc://fake"),
        jobs: there,
        is_alone: here == 0,
        environment: Vec::new(),
        when_gone,
        patience: Duration::from_secs(1),
    };
    let oracle = CommandOracle::new("grep", ["-q", "x", "{}"], "a.txt");
    let kept = |_: &Path| unreachable!("nothing is kept");
    let shipped = Shipped::new(&oracle.errand(b""), &remote, kept).expect("nothing is sent");
    (Spread::new(&settings, &remote, oracle.clone().with_own_limit(), shipped, place), said, oracle)
}

fn ask(spread: &Spread, candidate: &str, here: &dyn Oracle) -> Verdict {
    spread.ask(candidate.as_bytes(), &AtomicBool::new(false), here).expect("a verdict")
}

/// A local test that must not be used.
struct Nowhere;

impl Oracle for Nowhere {
    fn probe(&self, _: &[u8]) -> Result<Verdict, NoVerdict> {
        Err(NoVerdict::Failed("it is not asked here".into()))
    }
}

#[test]
fn a_candidate_has_the_same_verdict_there_as_here() {
    let place = Arc::<Fake>::default();
    let (spread, _, oracle) = spread(Arc::clone(&place), 0, 2, WhenGone::Wait);
    for candidate in ["x", "", "y", "yx\n"] {
        let here = oracle.probe(candidate.as_bytes()).expect("a verdict");
        assert_eq!(ask(&spread, candidate, &Nowhere), here, "{candidate}");
    }
    assert_eq!(place.actions.load(Ordering::Relaxed), 4);
    assert_eq!(spread.exit(7).expect("it answers"), Status::Exit(7));
}

#[test]
fn a_cluster_that_gives_no_answer_says_nothing_about_a_candidate() {
    let place = Arc::new(Fake::with(&[Trouble::Gone; 3]));
    let (spread, said, _) = spread(Arc::clone(&place), 0, 1, WhenGone::Wait);
    assert_eq!(ask(&spread, "x", &Nowhere), Verdict::Interesting);
    assert_eq!(place.actions.load(Ordering::Relaxed), 4);
    assert_eq!(lock(&said).len(), 1, "{said:?}");
    *lock(&place.troubles) = [Trouble::Gone].into();
    assert_eq!(ask(&spread, "y", &Nowhere), Verdict::Uninteresting);
    let said = lock(&said);
    assert_eq!(said.len(), 2, "each time that it goes away: {said:?}");
    assert!(said.iter().all(|line| line.contains("waiting for the cluster")), "{said:?}");
}

#[test]
fn without_the_cluster_the_run_goes_on_here_and_says_so_once() {
    let place = Arc::new(Fake::with(&[Trouble::Gone; 1]));
    let (spread, said, oracle) = spread(Arc::clone(&place), 0, 1, WhenGone::GoOnHere);
    for candidate in ["x", "y", "xx"] {
        let is_there = candidate.contains('x');
        assert_eq!(ask(&spread, candidate, &oracle).is_interesting(), is_there, "{candidate}");
    }
    assert_eq!(place.actions.load(Ordering::Relaxed), 1);
    let said = lock(&said);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("continuing locally"), "{said:?}");
}

#[test]
fn an_action_that_is_lost_is_run_here_and_the_next_ones_there_again() {
    let place = Arc::new(Fake::with(&[Trouble::Lost]));
    let (spread, said, oracle) = spread(Arc::clone(&place), 0, 1, WhenGone::Wait);
    assert_eq!(ask(&spread, "x", &oracle), Verdict::Interesting);
    assert_eq!(ask(&spread, "x", &Nowhere), Verdict::Interesting);
    assert_eq!(place.actions.load(Ordering::Relaxed), 2);
    assert!(lock(&said).is_empty());
}

#[test]
fn a_run_out_of_time_counts_only_if_it_is_so_twice() {
    let place = Arc::new(Fake::with(&[Trouble::TimedOut]));
    let (spread, _, _) = spread(Arc::clone(&place), 0, 1, WhenGone::Wait);
    assert_eq!(ask(&spread, "x", &Nowhere), Verdict::Interesting);
    *lock(&place.troubles) = [Trouble::TimedOut; 2].into();
    assert_eq!(ask(&spread, "x", &Nowhere), Verdict::Unresolved(nubbin_oracle::Cause::Timeout));
    assert_eq!(place.actions.load(Ordering::Relaxed), 4);
}

#[test]
fn a_test_that_is_shorter_than_the_way_stays_here() {
    let place = Arc::new(Fake { way: Duration::from_secs(1000), ..Fake::default() });
    let (spread, _, oracle) = spread(Arc::clone(&place), 1, 4, WhenGone::Wait);
    spread.first(b"x").expect("it answers");
    assert_eq!(ask(&spread, "x", &oracle), Verdict::Interesting);
    let runs = nubbin_search::schedule::at_once(4, |_| ask(&spread, "y", &oracle));
    assert_eq!(runs, [Verdict::Uninteresting; 4]);
    assert_eq!(place.actions.load(Ordering::Relaxed), 1);
}

#[test]
fn several_candidates_go_in_one_action_where_the_way_is_long() {
    let place = Arc::new(Fake { way: Duration::from_millis(4), ..Fake::default() });
    let (spread, _, _) = spread(Arc::clone(&place), 0, 1, WhenGone::Wait);
    let run = spread.first(b"x").expect("it answers");
    spread.settle(run.elapsed);
    assert_eq!(spread.jobs(), 4);
    let candidates = ["x", "y", "ax", ""];
    let runs = nubbin_search::schedule::at_once(4, |at| ask(&spread, candidates[at], &Nowhere));
    let wanted = candidates.map(|one| Verdict::from(one.contains('x')));
    assert_eq!(runs, wanted);
    assert!(place.actions.load(Ordering::Relaxed) <= 5);
}
