/** What keeps servers of one machine apart, and the machine safe from them (`machine:part.<key>`). */
export const MACHINE_PARTS = ['user', 'network', 'memory', 'cpu', 'calls', 'disk'] as const;
type MachinePart = (typeof MACHINE_PARTS)[number];

/** Whether the kernel holds a part: always, only between two looks of the node, or not at all. */
export const PART_STATES = ['enforced', 'partial', 'missing'] as const;
export type PartState = (typeof PART_STATES)[number];

export type MachineParts = Readonly<Record<MachinePart, PartState>>;
export const MACHINE_GRADES = ['A', 'B', 'C'] as const;
type MachineGrade = (typeof MACHINE_GRADES)[number];

/** The parts that are not held by the kernel, in the order in which they are shown. */
const weakParts = (parts: MachineParts): readonly MachinePart[] =>
  MACHINE_PARTS.filter((part) => parts[part] !== 'enforced');

/** How far a machine is fit for strangers: A, nothing is weak; B, one part is; C, more. */
export function gradeOf(parts: MachineParts): MachineGrade {
  const weak = weakParts(parts).length;
  return weak === 0 ? 'A' : weak === 1 ? 'B' : 'C';
}

/** The parts whose weakness the operator has not accepted by their explicit word. In: the setting's text. */
export function openParts(parts: MachineParts, accepted: string): readonly MachinePart[] {
  const words = accepted.split(' ');
  return weakParts(parts).filter((part) => !words.includes(part));
}

/** What of a server only grows: µs of processor time, bytes. It may begin at zero again when the server starts. */
export interface UsageTotals {
  readonly cpuUs: number;
  readonly received: number;
  readonly sent: number;
}
/** Totals at a moment, in ms of any clock that is the same for all of them. */
export interface TotalsAt {
  readonly atMs: number;
  readonly totals: UsageTotals;
}
/**
 * What totals say of the time between two moments: percent of one core, and whole bytes a second. Zero for one that
 * began at zero again in between; zeros where the moments are not one after the other.
 */
export function ratesBetween(before: TotalsAt, now: TotalsAt): { cpu: number; received: number; sent: number } {
  const ms = now.atMs - before.atMs;
  const perMs = (key: keyof UsageTotals) => (ms > 0 ? Math.max(0, now.totals[key] - before.totals[key]) / ms : 0);
  return {
    cpu: perMs('cpuUs') / 10,
    received: Math.round(perMs('received') * 1000),
    sent: Math.round(perMs('sent') * 1000),
  };
}
