import { describe, expect, test } from 'bun:test';
import { packBlock, referenceKey, sealOf, unpackBlock, type BlockRow } from '#server/data/repos/ledger-blocks.ts';
import { verifyArchivePart } from '#server/data/repos/ledger-archive-verify.ts';
import type { ArchiveProof } from '#server/modules/ledger/ports.ts';
import { DAY, HOUR } from '#shared/time.ts';
import { ENGINES, proveLedger } from '#tests/support/db.ts';
import { archiveWorld, NEVER, stateOf } from './ledger-archive.world.ts';

describe.each(ENGINES)('the archive of the ledger on %s', (kind) => {
  test('the newest block of a user grows until it is full, and is sealed behind the one before', async () => {
    const { db, clock, archive, reward } = await archiveWorld(kind);
    for (let month = 0; month < 8; month += 1) {
      for (let index = 0; index < 40; index += 1) await reward('ann', 1);
      clock.advance(31 * DAY);
      await archive.run(NEVER, HOUR);
    }
    clock.advance(200 * DAY);
    await archive.run(NEVER, HOUR);
    const blocks = await db.sql<BlockRow>('SELECT * FROM ledger_blocks ORDER BY number');
    expect(
      blocks.map(({ id, number, transactions, credits, balance }) => [id, number, transactions, credits, balance]),
    ).toEqual([
      [1, 1, 128, 128, 128],
      [2, 2, 128, 128, 256],
      [3, 3, 64, 64, 320],
    ]);
    expect(blocks.map((block, index) => block.hash === sealOf(block, blocks[index - 1]?.hash ?? ''))).toEqual([
      true,
      true,
      true,
    ]);
    await proveLedger(db.uow);
    await db.close();
  });

  test('the proof finds what was altered in the archive, and a block that was altered does not grow', async () => {
    const { db, clock, archive, reward } = await archiveWorld(kind);
    for (let index = 0; index < 200; index += 1) await reward('ann', 2);
    await reward('bob', 2);
    clock.advance(200 * DAY);
    await archive.run(NEVER, HOUR);
    const [first, second] = await db.sql<BlockRow>("SELECT * FROM ledger_blocks WHERE user_id = 'ann' ORDER BY number");
    if (!first || !second) return expect.unreachable();
    const faults = () =>
      db.uow.read(async (tx) => (await tx.ledger.verify()).map(({ proof, account, id }) => [proof, account, id]));
    const content = unpackBlock(first.detail);
    const detail = packBlock(
      content.map((each, index) =>
        index === 5 ? { ...each, postings: each.postings.map((posting) => ({ ...posting, amount: 3 })) } : each,
      ),
    );
    const put = (block: BlockRow) =>
      db.sql('UPDATE ledger_blocks SET detail = ?, credits = ?, balance = ?, hash = ? WHERE id = ?', [
        block.detail,
        block.credits,
        block.balance,
        block.hash,
        block.id,
      ]);
    const ofAnn = ['archive', 'user:ann', String(first.id)];
    // The amount of one posting: neither the seal nor the sums hold.
    await put({ ...first, detail });
    expect(await faults()).toEqual([
      ofAnn,
      ofAnn,
      ['archive', 'user:ann', null],
      ['archive', 'system:reward.afk', null],
    ]);
    // Sealed anew by somebody who knows how: the block behind it does not follow any more.
    const forged = { ...first, detail, credits: first.credits + 1, balance: first.balance + 1 };
    await put({ ...forged, hash: sealOf(forged, '') });
    expect((await faults()).map(([proof, account, id]) => `${proof} ${account} ${id}`)).toContain(
      `archive user:ann ${second.id}`,
    );
    // What nobody can read.
    await put({ ...first, detail: 'AAAA' });
    const texts = await db.uow.read(async (tx) => (await tx.ledger.verify('archive')).map(({ text }) => text));
    expect(texts).toContain(`block ${first.id} of user:ann cannot be read`);
    // Other words: the reason of a transaction.
    await put({ ...first, detail: packBlock(content.map((each) => ({ ...each, reason: 'a gift' }))) });
    expect(await faults()).toEqual([ofAnn]);
    await put(first);
    await proveLedger(db.uow);
    await db.sql('UPDATE ledger_blocks SET credits = 1 WHERE id = ?', [first.id]);
    expect(await db.uow.read((tx) => tx.ledger.verify('archive'))).toContainEqual({
      proof: 'archive',
      account: 'user:ann',
      id: String(first.id),
      stored: 1,
      expected: first.credits,
      text: `block ${first.id} of user:ann says 1 but its postings make ${first.credits}`,
    });
    await db.sql('UPDATE ledger_blocks SET credits = ? WHERE id = ?', [first.credits, first.id]);
    // Figures beside the content.
    for (const [column, value] of [
      ['credits', 1],
      ['balance', 1],
      ['transactions', 1],
      ['last_ms', 1],
      ['number', 3],
    ] as const) {
      await db.sql(`UPDATE ledger_blocks SET ${column} = ? WHERE id = ?`, [value, first.id]);
      expect([column, (await faults()).length > 0]).toEqual([column, true]);
      await db.sql(`UPDATE ledger_blocks SET ${column} = ? WHERE id = ?`, [first[column], first.id]);
    }
    await proveLedger(db.uow);
    // A reference that could be used again, and a sum.
    const [kept] = await db.sql<{ key: string; block: number }>(
      'SELECT key, block FROM ledger_archived_references LIMIT 1',
    );
    await db.sql('DELETE FROM ledger_archived_references WHERE key = ?', [kept?.key ?? '']);
    expect((await faults()).map(([proof]) => proof)).toEqual(['archive', 'archive']);
    await db.sql('INSERT INTO ledger_archived_references (key, block) VALUES (?, ?)', [
      kept?.key ?? '',
      kept?.block ?? 0,
    ]);
    await db.sql("UPDATE ledger_archived_sums SET credits = credits + 1 WHERE account = 'user:bob'");
    expect(await faults()).toEqual([
      ['postings', 'user:bob', null],
      ['archive', 'user:bob', null],
    ]);
    await db.sql("UPDATE ledger_archived_sums SET credits = credits - 1 WHERE account = 'user:bob'");
    // Bob's block is altered, and would have grown.
    await db.sql("UPDATE ledger_blocks SET credits = 9 WHERE user_id = 'bob'");
    await reward('bob', 2);
    clock.advance(200 * DAY);
    await archive.run(NEVER, HOUR).then(
      () => expect.unreachable(),
      (error: unknown) => expect(String(error)).toContain('was altered'),
    );
    await db.close();
  });

  test('the proof finds what is wrong with each of many users, at whichever place they stand', async () => {
    const { db, clock, archive, reward } = await archiveWorld(kind);
    const names = Array.from({ length: 60 }, (_, index) => `user${index + 10}`);
    for (const name of names) for (let index = 0; index < 5; index += 1) await reward(name);
    clock.advance(200 * DAY);
    await archive.run(NEVER, HOUR);
    await proveLedger(db.uow);
    const faults = () =>
      db.uow.read(async (tx) => (await tx.ledger.verify('archive')).map(({ account, text }) => [account, text]));
    // A block is read with others of its like: the first, one within, the last of those, and the last of all.
    for (const name of ['user10', 'user17', 'user29', 'user30', 'user49', 'user69']) {
      await db.sql('UPDATE ledger_archived_sums SET credits = credits + 1 WHERE account = ?', [`user:${name}`]);
      expect(await faults()).toEqual([[`user:${name}`, `user:${name} has archived 26 but its blocks make 25`]]);
      await db.sql('UPDATE ledger_archived_sums SET credits = credits - 1 WHERE account = ?', [`user:${name}`]);
      const [block] = await db.sql<BlockRow>('SELECT * FROM ledger_blocks WHERE user_id = ?', [name]);
      if (!block) return expect.unreachable();
      const keys = unpackBlock(block.detail).map(({ reference }) => referenceKey(reference));
      const point = (id: number) =>
        db.sql('UPDATE ledger_archived_references SET block = ? WHERE key = ?', [id, keys[3] ?? '']);
      await point(block.id === 1 ? 2 : 1);
      const text = `block ${block.id} of user:${name} has references that are not refused any more`;
      expect(await faults()).toEqual([[`user:${name}`, text]]);
      await point(block.id);
    }
    await db.sql("DELETE FROM ledger_archived_sums WHERE account = 'user:user17'");
    expect(await faults()).toEqual([['user:user17', 'user:user17 has archived 0 but its blocks make 25']]);
    await db.close();
  });

  test('the proof of the archive goes on from part to part, whatever is archived in between', async () => {
    const { db, clock, archive, reward } = await archiveWorld(kind);
    const names = Array.from({ length: 30 }, (_, index) => `user${index + 10}`);
    for (const name of names) for (let index = 0; index < 3; index += 1) await reward(name);
    for (let index = 0; index < 300; index += 1) await reward('user20');
    clock.advance(200 * DAY);
    await archive.run(NEVER, HOUR);
    /** Part by part, with a view of its own for each. Out: texts of faults, and after whom each part ended. */
    const prove = async (size: number, most = 50, between: (at: number) => Promise<unknown> = async () => 0) => {
      const [texts, ends]: [string[], string[]] = [[], []];
      const step = async (begun: ArchiveProof | null): Promise<ArchiveProof | null> => {
        const part = await db.database.read(({ raw }) => verifyArchivePart(raw, begun, { most, size }));
        texts.push(...part.faults.map(({ text }) => text));
        return part.next;
      };
      for (let next = await step(null); next; next = await step(next)) {
        ends.push(next.userId);
        await between(ends.length);
      }
      return { texts, ends };
    };
    // The three blocks of user20 stay in one part; the last part ends with the archive.
    expect(await prove(12)).toEqual({ texts: [], ends: ['user20', 'user32'] });
    for (const size of [1, 7, 20, 31, 32, 33]) expect([size, (await prove(size)).texts]).toEqual([size, []]);

    await db.sql("UPDATE ledger_archived_sums SET credits = credits + 1 WHERE account = 'system:reward.afk'");
    const text = 'system:reward.afk has archived -1949 but its blocks make -1950';
    expect((await prove(7)).texts).toEqual([text]);
    await db.sql("UPDATE ledger_archived_sums SET credits = credits - 1 WHERE account = 'system:reward.afk'");
    await db.sql('UPDATE ledger_archive SET transactions = transactions + 1');
    expect((await prove(7)).texts).toEqual([expect.stringContaining('the archive says 391 transactions')]);
    await db.sql('UPDATE ledger_archive SET transactions = transactions - 1');

    // Faults of all parts together are as many as may be named.
    await db.sql("UPDATE ledger_blocks SET credits = credits + 1 WHERE user_id IN ('user11', 'user25', 'user39')");
    const all = (await prove(7)).texts;
    expect(all.length).toBeGreaterThan(5);
    expect((await prove(7, 5)).texts).toEqual(all.slice(0, 5));
    await db.sql("UPDATE ledger_blocks SET credits = credits - 1 WHERE user_id IN ('user11', 'user25', 'user39')");

    // Something more is archived behind the second part: of users that were proven, of others, and of a new one.
    for (const name of ['user10', 'user39', 'user99']) await reward(name);
    clock.advance(200 * DAY);
    expect((await prove(7, 50, async (at) => at === 2 && archive.run(NEVER, HOUR))).texts).toEqual([]);
    expect(await stateOf(db)).toMatchObject({ transactions: 393 });
    expect((await prove(7)).texts).toEqual([]);
    await proveLedger(db.uow);
    await db.close();
  });

  test('a block of what was only ever reserved is proven like the others', async () => {
    const { db, clock, ledger } = await archiveWorld(kind);
    const facts = { userId: 'dan', amount: 5, kind: 'held', source: 'system:reward.link' } as const;
    const { holdId } = await db.uow.run((tx) => ledger.holdReward(tx, { ...facts, reference: 'held' }));
    await db.uow.run((tx) =>
      ledger.capture(tx, holdId, { destination: 'system:reward.link', kind: 'reward.rejected', reference: 'rejected' }),
    );
    clock.advance(1);
    expect(await db.uow.run((tx) => tx.ledgerArchive.archive('dan', clock.now()))).toEqual({ moved: 2, more: false });
    const blocks = await db.sql('SELECT transactions, credits, balance FROM ledger_blocks');
    expect(blocks).toEqual([{ transactions: 2, credits: 0, balance: 0 }]);
    const { rows } = await db.uow.read((tx) => ledger.history(tx, 'hold:dan', { limit: 5 }));
    expect(rows.map(({ amount, balanceAfter }) => [amount, balanceAfter])).toEqual([
      [-5, 0],
      [5, 5],
    ]);
    await proveLedger(db.uow);
    await db.close();
  });

  test('the tables give up no row but to the archive', async () => {
    const { db, reward } = await archiveWorld(kind);
    await reward('ann');
    for (const table of ['ledger_postings', 'ledger_transactions'])
      for (const statement of [`DELETE FROM ${table}`, `UPDATE ${table} SET kind = 'other'`])
        expect([
          statement,
          await db.sql(statement).then(
            () => 'done',
            () => 'refused',
          ),
        ]).toEqual([statement, 'refused']);
    await db.close();
  });
});
