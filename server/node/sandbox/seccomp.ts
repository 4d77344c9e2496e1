/** Numbers of a system call on x86-64 and arm64; -1: not there. Source: the kernel's syscall_64.tbl and unistd.h. */
type Numbers = readonly [number, number];

/** Refused with EPERM: what changes the machine, looks into other processes, or has been a way out of sandboxes. */
const REFUSED: Readonly<Record<string, Numbers>> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  move_mount: [429, 429],
  open_tree: [428, 428],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  mount_setattr: [442, 442],
  unshare: [272, 97],
  setns: [308, 268],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  keyctl: [250, 219],
  add_key: [248, 217],
  request_key: [249, 218],
  userfaultfd: [323, 282],
  open_by_handle_at: [304, 265],
  name_to_handle_at: [303, 264],
  iopl: [172, -1],
  ioperm: [173, -1],
  acct: [163, 89],
  quotactl: [179, 60],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  syslog: [103, 116],
};
/** Refused with ENOSYS, so that programs take the older call: io_uring goes past this filter, clone3 hides its flags. */
const ABSENT: Readonly<Record<string, Numbers>> = {
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  clone3: [435, 435],
};

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const ERRNO = 0x00050000;
const KILL = 0x80000000;
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97];
/** Offsets in `struct seccomp_data`: number, architecture, and the low halves of the first two arguments. */
const [AT_NUMBER, AT_ARCH, AT_FIRST, AT_SECOND] = [0, 4, 16, 24];
/** Every CLONE_NEW… flag. */
const NAMESPACES = 0x7e020000;
/** Numbers from here on are those of x32 on x86-64. */
const X32 = 0x40000000;
/** Writes into the input of a terminal. */
const TIOCSTI = 0x5412;
const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;

/**
 * The system calls that a server may not make, as a program for the kernel (classic BPF, 8 bytes an instruction). It
 * may open sockets of the kinds unix, inet, inet6 and netlink only, and make no namespace. A call of another
 * architecture ends the process. In: the processor.
 */
export function seccompFilter(processor: 'x64' | 'arm64'): Uint8Array<ArrayBuffer> {
  const own = processor === 'arm64' ? 1 : 0;
  const program: [code: number, ifTrue: number, ifFalse: number, value: number][] = [
    [LOAD, 0, 0, AT_ARCH],
    [JUMP_EQUAL, 1, 0, AUDIT_ARCH[processor]],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, AT_NUMBER],
  ];
  if (processor === 'x64') program.push([JUMP_AT_LEAST, 0, 1, X32], [RETURN, 0, 0, ERRNO | ENOSYS]);
  const refuse = (list: Readonly<Record<string, Numbers>>, errno: number): void => {
    for (const numbers of Object.values(list))
      if (numbers[own] >= 0) program.push([JUMP_EQUAL, 0, 1, numbers[own]], [RETURN, 0, 0, ERRNO | errno]);
  };
  refuse(REFUSED, EPERM);
  refuse(ABSENT, ENOSYS);
  const [clone, socket, ioctl] = own ? [220, 198, 29] : [56, 41, 16];
  program.push(
    [JUMP_EQUAL, 0, 4, clone],
    [LOAD, 0, 0, AT_FIRST],
    [JUMP_ANY_BIT, 0, 1, NAMESPACES],
    [RETURN, 0, 0, ERRNO | EPERM],
    [LOAD, 0, 0, AT_NUMBER],
    [JUMP_EQUAL, 0, 7, socket],
    [LOAD, 0, 0, AT_FIRST],
    [JUMP_EQUAL, 4, 0, 1],
    [JUMP_EQUAL, 3, 0, 2],
    [JUMP_EQUAL, 2, 0, 10],
    [JUMP_EQUAL, 1, 0, 16],
    [RETURN, 0, 0, ERRNO | EAFNOSUPPORT],
    [LOAD, 0, 0, AT_NUMBER],
    [JUMP_EQUAL, 0, 3, ioctl],
    [LOAD, 0, 0, AT_SECOND],
    [JUMP_EQUAL, 0, 1, TIOCSTI],
    [RETURN, 0, 0, ERRNO | EPERM],
    [RETURN, 0, 0, ALLOW],
  );
  const bytes = new DataView(new ArrayBuffer(program.length * 8));
  for (const [at, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(at * 8, code, true);
    bytes.setUint8(at * 8 + 2, ifTrue);
    bytes.setUint8(at * 8 + 3, ifFalse);
    bytes.setUint32(at * 8 + 4, value >>> 0, true);
  }
  return new Uint8Array(bytes.buffer);
}
