//! The settings of a browser's profile: it shows pages as it always does, asks nobody for anything, and keeps nothing back for
//! the next page.

use std::io;
use std::path::{Path, PathBuf};

/// The settings that differ from those that the browser has itself when it is driven, and their values as in `user.js`.
const SETTINGS: [(&str, &str); 40] = [
    // Nothing is loaded that nobody has asked for.
    ("app.normandy.enabled", "false"),
    ("app.shield.optoutstudies.enabled", "false"),
    ("browser.aboutwelcome.enabled", "false"),
    ("browser.chrome.site_icons", "false"),
    ("browser.newtab.preload", "false"),
    ("browser.newtabpage.enabled", "false"),
    ("browser.places.importBookmarksHTML", "false"),
    ("browser.startup.homepage", "\"about:blank\""),
    ("browser.startup.page", "0"),
    ("datareporting.policy.dataSubmissionEnabled", "false"),
    ("extensions.screenshots.disabled", "true"),
    ("network.dns.disablePrefetch", "true"),
    ("network.http.speculative-parallel-limit", "0"),
    ("network.prefetch-next", "false"),
    ("nimbus.rollouts.enabled", "false"),
    ("signon.rememberSignons", "false"),
    ("startup.homepage_welcome_url", "\"about:blank\""),
    ("toolkit.telemetry.enabled", "false"),
    ("privacy.userContext.enabled", "true"),
    // No process waits for a page that does not come, and none does what no page needs.
    ("browser.tabs.remote.separatePrivilegedContentProcess", "false"),
    ("dom.ipc.processPrelaunch.enabled", "false"),
    ("media.rdd-process.enabled", "false"),
    ("network.process.enabled", "false"),
    // Nothing of a page is there for the next one.
    ("browser.cache.disk.enable", "false"),
    ("browser.cache.memory.enable", "false"),
    ("browser.sessionhistory.max_total_viewers", "0"),
    ("browser.sessionstore.interval", "86400000"),
    // What is written there is known already.
    ("browser.dom.window.dump.enabled", "false"),
    ("devtools.console.stdout.content", "false"),
    // Pictures are the same each time, and as in a browser of the other kind.
    ("general.smoothScroll", "false"),
    ("font.name.serif.x-western", "\"Times New Roman\""),
    ("font.name.sans-serif.x-western", "\"Arial\""),
    ("font.name.serif.x-unicode", "\"Times New Roman\""),
    ("font.name.sans-serif.x-unicode", "\"Arial\""),
    ("gfx.color_management.mode", "0"),
    ("layout.css.devPixelsPerPx", "\"1.0\""),
    ("ui.caretBlinkTime", "0"),
    ("ui.prefersReducedMotion", "0"),
    ("ui.useOverlayScrollbars", "1"),
    ("widget.non-native-theme.scrollbar.size.override", "0"),
];

/// The places in a home by which fonts are found.
const FONTS: [&str; 4] = [".fonts", ".fonts.conf", ".config/fontconfig", ".local/share/fonts"];

/// Makes a home for the browser in its profile, with the user's fonts: where it can write none, it never starts.
///
/// # Errors
/// Returns the system's error.
pub(super) fn home(profile: &Path) -> io::Result<PathBuf> {
    let home = profile.join("home");
    for folder in [".config", ".local/share"] {
        std::fs::create_dir_all(home.join(folder))?;
    }
    let own = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    for fonts in FONTS.into_iter().filter(|fonts| own.join(fonts).exists()) {
        std::os::unix::fs::symlink(own.join(fonts), home.join(fonts))?;
    }
    Ok(home)
}

/// Writes the settings into a new profile.
///
/// # Errors
/// Returns the system's error.
pub(super) fn write(profile: &Path) -> io::Result<()> {
    let lines = SETTINGS.map(|(name, value)| format!("user_pref(\"{name}\", {value});\n"));
    std::fs::write(profile.join("user.js"), lines.concat())
}
