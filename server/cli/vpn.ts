import type { Abuse } from '#server/modules/abuse/index.ts';
import { DomainError } from '#shared/errors.ts';
import { consoleOutput, type Output } from './mail.ts';

const USAGE =
  'Usage: spawnpoint vpn load PATH | show | clear   (PATH: a file with an address, a network or a range a line; - for standard input)';
/** Lines that are no network, named at most. */
const NAMED = 20;

/**
 * `spawnpoint vpn load PATH | show | clear`: the list of networks that count as VPN (behaviour 4.6). In: how a path is
 * read. Out: the exit code (2 where it is used wrongly, 1 where no line of the file is a network).
 */
export async function vpnCommand(
  { abuse }: { readonly abuse: Pick<Abuse, 'uploadList' | 'findUploadedList'> },
  argv: readonly string[],
  read: (path: string) => Promise<string>,
  output: Output = consoleOutput,
): Promise<number> {
  const [verb, path] = argv;
  if (verb === 'show' && argv.length === 1) {
    const list = await abuse.findUploadedList();
    output.out(
      list ? `${list.ranges} networks, loaded ${new Date(list.updatedMs).toISOString()}` : 'No list is loaded.',
    );
    return 0;
  }
  if (verb === 'clear' && argv.length === 1) {
    await abuse.uploadList(null, null);
    output.out('List cleared.');
    return 0;
  }
  if (verb !== 'load' || path === undefined || argv.length !== 2) {
    output.err(USAGE);
    return 2;
  }
  try {
    const { ranges, faults } = await abuse.uploadList(null, await read(path));
    output.out(`${ranges} networks loaded.`);
    if (faults.length > 0)
      output.err(
        `${faults.length} lines aren’t networks: ${faults.slice(0, NAMED).join(', ')}${faults.length > NAMED ? ' …' : ''}`,
      );
    return 0;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    output.err('No line is a network. No changes were made.');
    return 1;
  }
}
