import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openAuthenticator } from '#tests/support/authenticator.ts';
import type { Answer } from '#tests/support/browser.ts';
import { ENGINES } from '#tests/support/db.ts';
import { visitorOf } from '#tests/support/factor.ts';
import { openHarness, PASSWORD, type Harness, type Person } from '#tests/support/harness.ts';
import { addPasskey, optionsOf } from '#tests/support/passkeys.ts';

const OWN = '/api/account/passkeys';
const LOGIN = '/api/auth/passkey';

const together = (count: number, send: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, send));

describe.each(ENGINES)('passkeys at once on %s', (engine) => {
  let own: Harness;
  let person: Person;
  beforeEach(async () => {
    own = await openHarness({ engine });
    person = await own.person('mirela.v');
  });
  afterEach(() => own.close());
  const open = (secret?: string) => visitorOf(own, secret);

  test('T35 one proof that is sent thirty times opens one session', async () => {
    const { authenticator } = await addPasskey(open(person.secret));
    const fresh = open();
    const proof = authenticator.prove(await optionsOf(fresh, LOGIN));
    const answers = await together(30, () => fresh.send('POST', LOGIN, proof));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'PASSKEY_REFUSED')).toHaveLength(29);
    expect(await own.db.sql('SELECT id FROM sessions')).toHaveLength(2);
    expect(await own.db.sql('SELECT counter FROM passkeys')).toEqual([{ counter: 2 }]);
  });

  test('T32 the second of two proofs with the same counter is that of a copy', async () => {
    const { authenticator } = await addPasskey(open(person.secret));
    const fresh = open();
    const options = [await optionsOf(fresh, LOGIN), await optionsOf(fresh, LOGIN)];
    const proofs = options.map((each) => authenticator.prove(each, { counter: 5 }));
    const answers = await Promise.all(proofs.map((proof) => fresh.send('POST', LOGIN, proof)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await own.db.sql('SELECT id FROM passkeys WHERE copied_ms IS NOT NULL')).toHaveLength(1);
  });

  test('T35 one passkey that is added ten times is there once, and a full account stays full', async () => {
    const browserOf = open(person.secret);
    await browserOf.send('POST', '/api/auth/confirm', { password: PASSWORD });
    const made = openAuthenticator().create(await optionsOf(browserOf, OWN));
    const answers = await together(10, () => browserOf.send('POST', OWN, { name: 'Phone', ...made }));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (let at = 1; at < 18; at += 1) await addPasskey(browserOf);
    const options = await Promise.all([1, 2, 3, 4].map(() => optionsOf(browserOf, OWN)));
    const more = await Promise.all(
      options.map((each) => browserOf.send('POST', OWN, { name: 'Phone', ...openAuthenticator().create(each) })),
    );
    expect(more.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409]);
    expect(await own.db.sql('SELECT id FROM passkeys')).toHaveLength(20);
  });

  test('a passkey is stored with all that it was made with', async () => {
    const { authenticator } = await addPasskey(open(person.secret), { synced: true });
    expect(await own.db.sql('SELECT * FROM passkeys')).toMatchObject([
      {
        user_id: person.id,
        credential_id: authenticator.id,
        counter: 1,
        transports: 'internal',
        multi_device: 1,
        backed_up: 1,
        name: 'Phone',
        used_ms: null,
        copied_ms: null,
      },
    ]);
  });
});
