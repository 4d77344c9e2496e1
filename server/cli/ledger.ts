import type { Services } from '#server/compose/services.ts';
import { dayIn } from '#shared/time.ts';
import { consoleOutput, type Output } from './mail.ts';

/**
 * `spawnpoint ledger verify`: proves every balance and the archive, and says how far that is. Out: the exit code (0
 * when everything is proven, 1 with the faults otherwise, 2 where it is used wrongly).
 */
export async function ledgerCommand(
  services: Pick<Services, 'proveLedger' | 'uow'>,
  argv: readonly string[],
  output: Output = consoleOutput,
): Promise<number> {
  if (argv.length !== 1 || argv[0] !== 'verify') {
    output.err('Usage: spawnpoint ledger verify');
    return 2;
  }
  const faults = await services.proveLedger();
  for (const { text } of faults) output.err(text);
  const { transactions, blocks, doneMs } = await services.uow.read((tx) => tx.ledgerArchive.state());
  if (blocks > 0)
    output.out(`archived transactions: ${transactions} (blocks: ${blocks}), complete up to ${dayIn(doneMs, 'UTC')}`);
  output.out(faults.length === 0 ? 'the ledger holds' : `${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}
