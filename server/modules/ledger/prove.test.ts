import { expect, test } from 'bun:test';
import { LEDGER_PROOFS } from '#shared/ledger.ts';
import { proveLedger } from './prove.ts';
import type { LedgerFault } from './ports.ts';

/** Long reads whose ledger has a fault in every part but the first, and what was asked of them. */
function setUp() {
  const asked: { proof: string; options: unknown }[] = [];
  const fault = (proof: string) => ({ kind: proof, subject: 's' }) as unknown as LedgerFault;
  const long: Parameters<typeof proveLedger>[0] = {
    read: async (work, options) =>
      work({
        ledger: {
          verify: async (proof: string) => {
            asked.push({ proof, options });
            return proof === 'sum' ? [] : [fault(proof)];
          },
        },
      } as never),
  };
  return { long, asked, fault };
}

test('T10 every part of the proof is asked for once, each in a read of its own, and all faults are given', async () => {
  const { long, asked, fault } = setUp();
  const { signal } = new AbortController();
  expect(await proveLedger(long, signal)).toEqual(LEDGER_PROOFS.filter((proof) => proof !== 'sum').map(fault));
  expect(asked).toEqual(LEDGER_PROOFS.map((proof) => ({ proof, options: { for: 'job', signal } })));
});
