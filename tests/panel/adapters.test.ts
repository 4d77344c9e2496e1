import { afterEach, describe, expect, test } from 'bun:test';
import type { PanelAnswer } from '#server/modules/servers/index.ts';
import type { Dialect, FaultKind, FaultOptions } from '#tests/support/panels/index.ts';
import { panelWorld, picture, PORT_CALLS, type PanelWorld, type PortCall } from './calls.ts';

let world: PanelWorld | null = null;
afterEach(async () => {
  await world?.fake.close();
  world = null;
});
async function open(dialect: Dialect): Promise<PanelWorld> {
  world = await panelWorld(dialect);
  return world;
}

type Outcome = PanelAnswer<unknown>['outcome'];
/**
 * A fault, when the work is done in spite of it, and what the adapter has to say: of a question, of a creation and of
 * another change.
 */
interface Case {
  readonly name: string;
  readonly kind: FaultKind;
  readonly options?: FaultOptions;
  readonly done: 'never' | 'at_once' | 'later';
  readonly create: Outcome;
  readonly write: Outcome;
}
/**
 * Nothing came back, or nothing of the panel's own: of a change nobody knows whether it was made, as what stands before
 * the panel may have handed it on (attacks T26; panel contract, sections 1 and 5).
 */
const UNKNOWN = { create: 'unknown', write: 'unknown' } as const;
/** The panel counted it and left it: surely nothing was changed (panel contract, section 1). */
const NOT_DONE = { create: 'unavailable', write: 'unavailable' } as const;
const CASES: readonly Case[] = [
  { name: 'is lost before it arrives', kind: 'lostBefore', done: 'never', ...UNKNOWN },
  { name: 'is done and its answer lost', kind: 'lostAfter', done: 'at_once', ...UNKNOWN },
  { name: 'is given up and done later', kind: 'late', done: 'later', ...UNKNOWN },
  { name: 'hangs', kind: 'hang', done: 'later', ...UNKNOWN },
  { name: 'is answered by half', kind: 'slowBody', done: 'at_once', ...UNKNOWN },
  { name: 'is answered with garbage', kind: 'garbage', options: { done: true }, done: 'at_once', ...UNKNOWN },
  { name: 'is answered with garbage and not done', kind: 'garbage', done: 'never', ...UNKNOWN },
  { name: 'is answered with a page', kind: 'html', done: 'never', ...UNKNOWN },
  { name: 'is done and answered with a page', kind: 'html', options: { done: true }, done: 'at_once', ...UNKNOWN },
  {
    name: 'is done and a proxy says 502',
    kind: 'html',
    options: { done: true, status: 502 },
    done: 'at_once',
    ...UNKNOWN,
  },
  {
    name: 'is done and a proxy says 504',
    kind: 'html',
    options: { done: true, status: 504 },
    done: 'at_once',
    ...UNKNOWN,
  },
  {
    name: 'is done and breaks with 500',
    kind: 'status',
    options: { done: true, status: 500 },
    done: 'at_once',
    ...UNKNOWN,
  },
  { name: 'breaks with 500', kind: 'status', options: { status: 500 }, done: 'never', ...UNKNOWN },
  { name: 'loses a race', kind: 'race', done: 'never', create: 'conflict', write: 'unknown' },
  // Something before the panel answers: it may have handed the call on first.
  { name: 'is redirected', kind: 'redirect', done: 'never', ...UNKNOWN },
  { name: 'is done and redirected', kind: 'redirect', options: { done: true }, done: 'at_once', ...UNKNOWN },
  { name: 'meets no API', kind: 'html', options: { status: 404 }, done: 'never', ...UNKNOWN },
  {
    name: 'is done and a proxy says 404',
    kind: 'html',
    options: { done: true, status: 404 },
    done: 'at_once',
    ...UNKNOWN,
  },
  { name: 'meets maintenance', kind: 'status', options: { status: 503 }, done: 'never', ...UNKNOWN },
  {
    name: 'is done and a proxy says 503',
    kind: 'html',
    options: { done: true, status: 503 },
    done: 'at_once',
    ...UNKNOWN,
  },
  { name: 'comes too often', kind: 'tooMany', options: { retryAfterS: 7 }, done: 'never', ...NOT_DONE },
];

/**
 * A question gets no answer in any of these cases; it may be asked again, so the fault stays. An account that was made
 * is found by our id at once.
 */
function expected(fault: Case, call: PortCall): Outcome {
  if (call.kind === 'read') return 'unavailable';
  if (fault.kind === 'slowBody' && call.silent) return 'ok';
  if (call.name === 'ensureUser' && fault.done === 'at_once') return 'ok';
  return fault[call.kind];
}
async function outcomeUnder(
  fault: Case,
  call: PortCall,
  dialect: Dialect,
): Promise<{ outcome: Outcome; changed: boolean; changedLater: boolean; asked: number }> {
  const own = await open(dialect);
  const { fake, timer } = own;
  await call.prepare?.(own);
  const before = picture(fake);
  const askedBefore = fake.asked().length;
  fake.fail(fault.kind, { call: call.request, times: call.kind === 'read' ? Infinity : 1, ...fault.options });
  const answer = call.run(own);
  if (fault.kind === 'hang' || (fault.kind === 'slowBody' && !call.silent)) {
    await fake.hanging();
    timer.expire();
  }
  const { outcome } = await answer;
  const asked = fake
    .asked()
    .slice(askedBefore)
    .filter((each) => each.startsWith(call.request.split(' ')[0] ?? '')).length;
  const changed = picture(fake) !== before;
  fake.heal();
  await fake.release();
  return { outcome, changed, changedLater: picture(fake) !== before, asked };
}

for (const dialect of ['pterodactyl', 'pelican'] as const) {
  describe(`${dialect}: what a call says that`, () => {
    for (const fault of CASES) {
      for (const call of PORT_CALLS) {
        test(`T26 ${fault.name}: the adapter says so of ${call.name}`, async () => {
          const { outcome, changed, changedLater, asked } = await outcomeUnder(fault, call, dialect);
          expect(outcome).toBe(expected(fault, call));
          const changes = call.kind !== 'read';
          expect({ changed, changedLater }).toEqual({
            changed: changes && fault.done === 'at_once',
            changedLater: changes && fault.done !== 'never',
          });
          // A change is sent once: whether to send it again is for whoever can look first.
          if (changes) expect(asked).toBe(1);
        });
      }
    }
  });
}
