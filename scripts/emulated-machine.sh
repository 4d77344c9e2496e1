#!/bin/bash
# Runs tests of the node on an emulated machine with another kernel, whose disk has quotas by user. Not a part of CI.
#
#   apt install qemu-system-x86 busybox-static kmod cpio quota; apt download linux-image-amd64's package; dpkg -x it
#   scripts/emulated-machine.sh FOLDER [ext4|xfs] [name of tests]
#
# FOLDER is where the kernel's package was unpacked. The root of this machine is that of the emulated one, which only
# reads it; what it writes is memory, and a disk of its own where servers lie. It has no network.
set -euo pipefail
packed=$(realpath "$1") kind=${2:-ext4} tests=${3:-limit of the files}
here=$(realpath "$(dirname "$0")/..")
version=$(ls "$packed/lib/modules")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/ini/{bin,modules,proc,sys,dev,root,rw,new}
cp "$(command -v busybox)" "$work/ini/bin/busybox"
depmod -b "$packed" "$version"
for name in virtio_pci virtio_blk 9p 9pnet_virtio overlay ext4 xfs quota_v2 veth nf_tables nft_chain_nat nft_nat nft_ct \
  nft_masq nft_redir nft_reject_inet nft_fib_inet; do
  modprobe -d "$packed" -S "$version" --show-depends "$name" | awk '/^insmod/ { print $2 }'
done | awk '!seen[$0]++' | while read -r module; do
  cp "$module" "$work/ini/modules/"
  echo "insmod /modules/$(basename "$module")"
done >"$work/ini/insmod.sh"

cat >"$work/ini/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc && mount -t sysfs none /sys && mount -t devtmpfs none /dev
. /insmod.sh
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro host /root
mount -t tmpfs none /rw && mkdir /rw/up /rw/work
mount -t overlay -o lowerdir=/root,upperdir=/rw/up,workdir=/rw/work none /new
for name in dev proc sys; do mount --move /$name /new/$name; done
cp /job.sh /new/job.sh
exec switch_root /new /bin/bash /job.sh
INIT
# The commands for ext4 are those that the page "This machine" names.
cat >"$work/ini/job.sh" <<JOB
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
trap 'echo o >/proc/sysrq-trigger; sleep 9' EXIT
set -e
mount -t tmpfs none /run
mount -t cgroup2 none /sys/fs/cgroup
# What Podman needs of it.
mkdir -p /dev/shm /dev/pts /dev/mqueue
mount -t tmpfs none /dev/shm && mount -t devpts none /dev/pts && mount -t mqueue none /dev/mqueue
ip link set lo up
mkdir -p /disk
case $kind in
  ext4) mount /dev/vda /disk && mount -o remount,usrjquota=aquota.user,jqfmt=vfsv1 /disk && quotacheck -cmu /disk && quotaon -u /disk ;;
  xfs) mount -o uquota /dev/vda /disk ;;
esac
cd '$here'
export TMPDIR=/disk HOME=/tmp DISK_QUOTAS=1
uname -sr
'$(realpath "$here/node_modules/.bin/bun")' test --timeout=300000 tests/node/node.test.ts -t '$tests' && echo 'emulated machine: passed'
JOB
chmod +x "$work/ini/init"
(cd "$work/ini" && find . | cpio -o -H newc --quiet) | gzip -1 >"$work/ini.gz"
truncate -s 4G "$work/disk"
"mkfs.$kind" -q "$work/disk"
qemu-system-x86_64 -accel tcg,thread=multi -cpu max -m 4G -smp 2 -nographic -no-reboot -net none \
  -kernel "$packed/boot/vmlinuz-$version" -initrd "$work/ini.gz" -append 'console=ttyS0 quiet panic=-1' \
  -fsdev local,id=host,path=/,security_model=none,multidevs=remap,readonly=on \
  -device virtio-9p-pci,fsdev=host,mount_tag=host -drive "file=$work/disk,format=raw,if=virtio" | tee "$work/log"
grep -q 'emulated machine: passed' "$work/log"
