hostname nubbin-was-here && echo x >"$DONE/hostname"
for setting in kernel/core_pattern kernel/hostname kernel/panic vm/drop_caches; do
    value=$(cat /proc/sys/$setting) && printf '%s' "$value" >/proc/sys/$setting && echo x >"$DONE/$(basename $setting)"
done
echo h >/proc/sysrq-trigger && echo x >"$DONE/sysrq"
for group in $(find /sys/fs/cgroup -maxdepth 2 -type d); do mkdir "$group/nubbin-was-here" && echo x >"$DONE/group"; done
echo x >/sys/kernel/uevent_helper && echo x >"$DONE/helper"
