import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { nth } from '#tests/support/coins.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';

// Shows behaviour 7.3: staff find tickets by what is written in them (decision 065).

setDefaultTimeout(300_000);

describe.each(ENGINES)('the search in tickets on %s', (engine) => {
  let h: Harness;
  let department: string;
  let oana: Person;
  let made = 0;
  beforeAll(async () => {
    h = await openHarness({ engine });
    oana = await h.person('oana', { permissions: ['admin.tickets.list', 'admin.tickets.view'] });
    const owner = await h.person('owner', { permissions: ['admin.root'] });
    const body = { name: 'Technical', description: '', hours: '', position: 0, enabled: true };
    department = (await owner.api.adminDepartments.create({ body })).id;
  });
  afterAll(() => h.close());

  const player = () => h.person(`player${(made += 1)}`);
  const open = async (who: Person, subject: string, text: string) =>
    (await who.api.tickets.create({ body: { department, priority: 'normal', subject, text } })).id;
  const search = (q: string, who = oana, after?: string) =>
    who.api.adminTickets.list({ query: { q, ...(after === undefined ? {} : { after }) } });
  const found = async (q: string, who = oana) => (await search(q, who)).rows.map(({ id }) => id);
  const note = (id: string, text: string) =>
    oana.api.adminTickets.reply({
      params: { id },
      body: { text, internal: true, status: 'answered', seen: 0 },
    });

  test('a search finds subjects, messages and notes by whole words, without accents and capitals, the newest first', async () => {
    const mirela = await player();
    const first = await open(
      mirela,
      'Cannot join on port 25588',
      'The console says *Connection refused*: Straße, ŞTERGE',
    );
    const second = await open(mirela, 'Écran noir', 'Nothing but a black screen at play.example.org:25588');
    await note(second, 'Looks like a zombified container');
    const found1 = { 'port 25588': [first], '25588': [second, first], REFUSED: [first], 'ecran noir': [second] };
    const found2 = { strasse: [first], sterge: [first], zombified: [second], 'example.org': [second] };
    for (const [q, ids] of Object.entries({ ...found1, ...found2 })) expect([q, await found(q)]).toEqual([q, ids]);
    // All words, in one message; the last one as it is being typed, but not one in the middle.
    expect(await found('black scr')).toEqual([second]);
    expect(await found('scr black')).toEqual([]);
    expect(await found('black refused')).toEqual([]);
    expect(await found('lack')).toEqual([]);
    // What happened to a ticket is no text of it.
    await oana.api.adminTickets.update({ params: { id: second }, body: { priority: 'urgent' } });
    expect(await found('urgent')).toEqual([]);
    expect(await found('priority')).toEqual([]);
  });

  test('T58 whatever is typed is words and never a command of the search engine', async () => {
    const tobi = await player();
    const id = await open(tobi, 'Quoted', 'say "hello" to foo-bar NEAR(baz qux)');
    for (const q of [
      'a"b',
      'foo-bar',
      'x:y',
      '*',
      'AND',
      'OR',
      'NOT',
      '(a',
      'hello)',
      '^hello',
      "it's",
      'words:hello',
      '{a b}:c',
      '-',
      '"',
      "'",
      '\\',
      "' | '",
      "hello' & 'x",
      '!hello',
      'a<->b',
      ':*',
      'hello:*',
      '%',
      '_',
      'ticket_words',
      '😀',
      '\u202E',
      '1e5',
      'NEAR(baz qux)',
      'x'.repeat(100),
      'a b c d e f g h i j k l m',
      `${'ä'.repeat(50)} ö`,
    ]) {
      const { rows } = await search(q);
      expect([q, Array.isArray(rows)]).toEqual([q, true]);
    }
    expect(await found('say "hello"')).toEqual([id]);
    expect(await found('foo-bar')).toEqual([id]);
    expect(await found('near baz')).toEqual([id]);
    expect(await found('"hello" OR nothing')).toEqual([]);
  });

  test('a name leads to all tickets of its user, closed ones too, and is a word where they have none or it is in quotes', async () => {
    const refund = await h.person('refund');
    const vlad = await player();
    const about = await open(vlad, 'My order', 'I would like a refund');
    expect(await found('refund')).toEqual([about]);
    const own = await open(refund, 'Hello', 'Is anybody there?');
    await oana.api.adminTickets.update({ params: { id: own }, body: { status: 'closed' } });
    expect(await found('refund')).toEqual([own]);
    expect(await found('refund@example.com')).toEqual([own]);
    expect(await found('"refund"')).toEqual([about]);
    const { rows } = await search('My order');
    expect(await found(`"${rows[0]?.number ?? ''}"`)).toEqual([]);
  });

  test('what a search finds is narrowed to a tag and a department', async () => {
    const body = { name: 'Billing', description: '', hours: '', position: 1, enabled: true };
    const owner = await h.person('owner2', { permissions: ['admin.root'] });
    const billing = (await owner.api.adminDepartments.create({ body })).id;
    const each = await player();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.push(await open(each, `Walrus ${count}`, 'walrus'));
    await oana.api.adminTickets.update({ params: { id: nth(ids, 0) }, body: { tags: ['sea'], department: billing } });
    await oana.api.adminTickets.update({ params: { id: nth(ids, 1) }, body: { tags: ['sea'] } });
    const only = async (query: object) => (await oana.api.adminTickets.list({ query })).rows.map(({ id }) => id);
    for (const q of ['walrus', each.username]) {
      const all = await only({ q });
      expect(all.toSorted()).toEqual(ids.toSorted());
      expect((await only({ q, tag: 'sea' })).toSorted()).toEqual(ids.slice(0, 2).toSorted());
      expect(await only({ q, tag: 'sea', department: billing })).toEqual(ids.slice(0, 1));
      expect(await only({ q, tag: 'land' })).toEqual([]);
    }
  });

  test('T59 who may list tickets but not open them finds none by what is written in them', async () => {
    const vera = await player();
    const id = await open(vera, 'Sorrow', 'Something about a giraffe');
    await note(id, 'She is under observation for chargebacks');
    const clerk = await h.person('clerk', { permissions: ['admin.tickets.list'] });
    expect(await found('chargebacks')).toEqual([id]);
    for (const q of ['chargebacks', 'giraffe', 'sorrow']) expect(await found(q, clerk)).toEqual([]);
    // A name and a number stand in the list.
    expect(await found(vera.username, clerk)).toEqual([id]);
  });

  test('a page of what was found goes on where it ended, each ticket once however often it has the word', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 10; count += 1) {
      const each = await player();
      for (let opened = 0; opened < 3; opened += 1) ids.push(await open(each, `Llama ${ids.length}`, 'llama llama'));
      await each.api.tickets.reply({ params: { id: nth(ids, ids.length - 1) }, body: { text: 'another llama' } });
    }
    const shown: string[] = [];
    let after: string | undefined;
    do {
      const page = await search('llama', oana, after);
      expect(page.rows.length).toBeLessThanOrEqual(20);
      shown.push(...page.rows.map(({ id }) => id));
      after = page.more ?? undefined;
    } while (after !== undefined);
    expect(shown).toEqual(ids.toReversed());
  });

  test('the words of a ticket are gone with the account of its user', async () => {
    const sven = await player();
    await open(sven, 'Rhinoceros', 'and nothing else');
    expect(await found('rhinoceros')).toHaveLength(1);
    await h.db.sql('DELETE FROM tickets WHERE user_id = ?', [sven.id]);
    expect(await found('rhinoceros')).toEqual([]);
    expect(await h.db.sql("SELECT doc FROM ticket_texts WHERE words LIKE '%rhinoceros%'")).toEqual([]);
  });
});
