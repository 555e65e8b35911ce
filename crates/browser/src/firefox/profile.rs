//! The settings of a profile: pages are shown as usual, the browser asks no questions, and nothing is kept
//! for the next page.

use std::io;
use std::path::{Path, PathBuf};

/// The settings that differ from the defaults of a remote-controlled browser, with their values in `user.js`.
const SETTINGS: [(&str, &str); 40] = [
    // Disable start pages and all requests that the page does not make.
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
    // Disable unused and prelaunched processes.
    ("browser.tabs.remote.separatePrivilegedContentProcess", "false"),
    ("dom.ipc.processPrelaunch.enabled", "false"),
    ("media.rdd-process.enabled", "false"),
    ("network.process.enabled", "false"),
    // Disable caches that affect later pages.
    ("browser.cache.disk.enable", "false"),
    ("browser.cache.memory.enable", "false"),
    ("browser.sessionhistory.max_total_viewers", "0"),
    ("browser.sessionstore.interval", "86400000"),
    // Disable redundant output.
    ("browser.dom.window.dump.enabled", "false"),
    ("devtools.console.stdout.content", "false"),
    // Make screenshots reproducible and similar to those of Chromium.
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

/// The paths in a home directory that configure fonts.
const FONTS: [&str; 4] = [".fonts", ".fonts.conf", ".config/fontconfig", ".local/share/fonts"];

/// Creates a home directory for the browser in its profile, with the user's fonts. Without a writable home,
/// the browser does not start.
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
