import { afterEach, describe, expect, test } from 'bun:test';
import { codeOf, coinWorld, type CoinWorld } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { addUser, type ImportsDeps } from './index.ts';

// Shows behaviour 9: what somebody brings is posted once, whatever became of the rows that say so.

const ORIGIN = { product: 'ctrlpanel', instance: 'main' } as const;
const NOTHING = { memory: 0, disk: 0, cpu: 0, slots: 0, ports: 0, databases: 0, backups: 0 };

let world: CoinWorld;
afterEach(() => world.close());

describe.each([...ENGINES])('users who come over, on %s', (engine) => {
  async function open() {
    world = await coinWorld(engine);
    const { uow, clock, ids, ledger } = world;
    const deps: ImportsDeps = { uow, clock, ids, ledger, traceOf: (identity) => identity };
    const ann = await world.person();
    const roleId = await uow.read(async (tx) => (await tx.identity.findUser(ann.actor.userId))?.roleId ?? '');
    async function startRun(): Promise<string> {
      const id = ids.uuid();
      const atMs = clock.now();
      const rest = { fault: null, options: '{}', summary: '{}', startedBy: null, createdMs: atMs, updatedMs: atMs };
      await uow.run((tx) => tx.imports.addRun({ ...ORIGIN, id, state: 'checked', ...rest }));
      return id;
    }
    const bring = (runId: string, sourceId: string, over: Partial<Parameters<typeof addUser>[3]> = {}) =>
      uow.run((tx) =>
        addUser(
          deps,
          tx,
          { runId, origin: ORIGIN },
          {
            sourceId,
            mergeInto: null,
            username: `came${sourceId}`,
            email: `came${sourceId}@example.test`,
            hash: '',
            firstName: 'A',
            lastName: 'B',
            createdMs: 1_700_000_000_000,
            verified: false,
            roleId,
            locale: 'en',
            limits: NOTHING,
            discord: null,
            credits: 0,
            ...over,
          },
        ),
      );
    const found = (sourceId: string) => uow.read((tx) => tx.identity.findUserByLogin(`came${sourceId}`));
    const forget = (sourceId: string) => uow.run((tx) => tx.imports.deleteRow(ORIGIN, 'user', sourceId));
    return { ann, bring, found, forget, startRun };
  }

  test('T46 the opening of a user is posted once, also where the row that says so is lost', async () => {
    const { ann, bring, forget, startRun } = await open();
    const run = await startRun();
    await bring(run, '1', { mergeInto: ann.actor.userId, credits: 30 });
    await forget('1');
    const again = () => bring(run, '1', { mergeInto: ann.actor.userId, credits: 30 });
    expect(await codeOf(again())).toBe('DUPLICATE_REFERENCE');
    const other = await startRun();
    expect(await codeOf(bring(other, '1', { mergeInto: ann.actor.userId, credits: 30 }))).toBe('DUPLICATE_REFERENCE');
    expect(await world.balance(ann)).toBe(30);
  });

  test('T46 an opening that was reversed is posted by a later run, once', async () => {
    const { ann, bring, forget, startRun } = await open();
    await bring(await startRun(), '1', { mergeInto: ann.actor.userId, credits: 30 });
    await world.uow.run(async (tx) => {
      const opening = await tx.ledger.byReference('import:ctrlpanel:main:balance:1');
      await world.ledger.reverse(tx, opening?.id ?? '', { reason: '' });
    });
    await forget('1');
    expect(await world.balance(ann)).toBe(0);
    const later = await startRun();
    await bring(later, '1', { mergeInto: ann.actor.userId, credits: 30 });
    await forget('1');
    expect(await codeOf(bring(later, '1', { mergeInto: ann.actor.userId, credits: 30 }))).toBe('DUPLICATE_REFERENCE');
    expect(await world.balance(ann)).toBe(30);
  });

  test('an address comes as confirmed as it was, since the account was made', async () => {
    const { bring, found, startRun } = await open();
    const run = await startRun();
    await bring(run, '1', { verified: true });
    await bring(run, '2', { verified: false });
    expect([(await found('1'))?.verifiedMs, (await found('2'))?.verifiedMs]).toEqual([1_700_000_000_000, null]);
  });

  test('T35 a Discord account that somebody has here stays theirs, and the run says so', async () => {
    const { bring, found, startRun } = await open();
    const run = await startRun();
    const [first, second, none] = [
      await bring(run, '1', { discord: '123456789012345678' }),
      await bring(run, '2', { discord: '123456789012345678' }),
      await bring(run, '3'),
    ];
    expect([first.discordTaken, second.discordTaken, none.discordTaken]).toEqual([false, true, false]);
    const linked = await world.uow.read((tx) => tx.identities.findBySubject('discord', '123456789012345678'));
    expect(linked?.userId).toBe((await found('1'))?.id ?? '');
  });
});
