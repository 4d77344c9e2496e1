import { expect, test } from 'bun:test';
import { LEDGER_PROOFS } from '#shared/ledger.ts';
import { proveLedger } from './prove.ts';
import type { LedgerFault } from './ports.ts';

/** Long reads whose ledger has a fault in every part but the first, and what was asked of them. */
function setUp() {
  const asked: { proof: string; options: object }[] = [];
  const fault = (proof: string) => ({ kind: proof, subject: 's' }) as unknown as LedgerFault;
  const long: Parameters<typeof proveLedger>[0] = {
    read: async (work, options) =>
      work({
        ledger: {
          verify: async (proof: string) => {
            asked.push({ proof, options });
            return proof === 'sum' ? [] : [fault(proof)];
          },
          // Three steps: none, a, b.
          verifyArchive: async (begun: { userId: string } | null) => {
            const at = begun?.userId ?? 'none';
            asked.push({ proof: `archive ${at}`, options });
            return { faults: [fault(at)], next: at === 'none' ? { userId: 'a' } : at === 'a' ? { userId: 'b' } : null };
          },
        },
      } as never),
  };
  return { long, asked, fault };
}

test('T10 every part of the proof is asked for once, each in a read of its own, and all faults are given', async () => {
  const { long, asked, fault } = setUp();
  const { signal } = new AbortController();
  const questions = LEDGER_PROOFS.filter((proof) => proof !== 'archive');
  expect(await proveLedger(long, signal)).toEqual(
    [...questions.filter((proof) => proof !== 'sum'), 'none', 'a', 'b'].map(fault),
  );
  expect(asked.map(({ proof }) => proof)).toEqual([...questions, 'archive none', 'archive a', 'archive b']);
  for (const { options } of asked) expect(options).toMatchObject({ for: 'job', signal });
});
