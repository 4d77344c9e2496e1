import { describe, expect, test } from 'bun:test';
import { networkError, panelErrors } from '#tests/support/panel-http.ts';
import { DIALECTS, NOT_THERE, okAnswer, panelWorld, pathsOf } from '#tests/support/panel-world.ts';

const ID = '0192f3a1-5c6d-7abc-8def-0123456789ab';
const USER = { externalId: ID, username: 'Alex', email: 'alex@example.test', firstName: 'Alex', lastName: '' };
const account = (id: number, externalId: string | null = ID) => ({
  object: 'user',
  attributes: { id, external_id: externalId, username: 'x', email: 'y', root_admin: false, '2fa': false },
});

describe('accounts', () => {
  test('the account with our id is used, and only that', async () => {
    const there = panelErrors(422, 'ValidationException', 'taken', {
      email: 'unique',
      username: 'unique',
      external_id: 'unique',
    });
    const { panel, sent } = panelWorld([there, okAnswer(account(5))]);
    expect(await panel.ensureUser(USER)).toEqual({ outcome: 'ok', value: '5' });
    expect(pathsOf(sent)).toEqual(['POST /users', `GET /users/external/${ID}`]);
    expect(await panelWorld([there, okAnswer(account(5, ID.toUpperCase()))]).panel.ensureUser(USER)).toEqual({
      outcome: 'refused',
      reason: 'external_id',
    });
  });

  test('T28 an account that has another id of ours is bound only where that is the one of somebody who is deleted', async () => {
    const old = '0192f3a1-5c6d-7abc-8def-000000000000';
    const details = (externalId: string) => ({
      object: 'user',
      attributes: { id: 5, external_id: externalId, username: 'x', email: USER.email, root_admin: false },
    });
    for (const formerId of [undefined, null, ID.replace('0', '1')]) {
      const { catalogue, sent } = panelWorld([okAnswer(details(old))]);
      expect(await catalogue.bindAccount('5', USER, null, formerId)).toEqual({
        outcome: 'refused',
        reason: 'external_id',
      });
      expect(pathsOf(sent)).toEqual(['GET /users/5']);
    }
    const { catalogue, sent } = panelWorld([okAnswer(details(old)), okAnswer(details(ID))]);
    expect(await catalogue.bindAccount('5', USER, null, old)).toEqual({ outcome: 'ok', value: null });
    expect(pathsOf(sent)).toEqual(['GET /users/5', 'PATCH /users/5']);
  });

  test('an account is made with our id, and the panel of each kind gets the fields it wants', async () => {
    for (const dialect of DIALECTS) {
      const { panel, sent } = panelWorld([{ status: 201, body: account(9) }], { dialect });
      expect(await panel.ensureUser(USER)).toEqual({ outcome: 'ok', value: '9' });
      const names = dialect === 'pterodactyl' ? { first_name: 'Alex', last_name: '-' } : {};
      expect(sent[0]).toMatchObject({ method: 'POST', path: '/api/application/users' });
      expect(sent[0]?.body).toEqual({ external_id: ID, email: 'alex@example.test', username: 'alex', ...names });
    }
  });

  test('T28 an account that has the address and not our id is never taken, and none is made beside it', async () => {
    const { panel, sent } = panelWorld([
      panelErrors(422, 'ValidationException', 'taken', { email: 'unique', username: 'unique' }),
    ]);
    expect(await panel.ensureUser(USER)).toEqual({ outcome: 'refused', reason: 'email_taken' });
    expect(pathsOf(sent)).toEqual(['POST /users']);
    expect(sent.some(({ path }) => path.includes('filter'))).toBe(false);
  });

  test('T28 an account of somebody else in the answer is none', async () => {
    const { panel } = panelWorld([{ status: 201, body: account(1, null) }, NOT_THERE]);
    expect(await panel.ensureUser(USER)).toEqual({ outcome: 'unknown' });
  });

  test('a username that is taken is not the end', async () => {
    const taken = panelErrors(422, 'ValidationException', 'taken', { username: 'unique' });
    const { panel, sent } = panelWorld([taken, taken, { status: 201, body: account(9) }]);
    expect(await panel.ensureUser(USER)).toEqual({ outcome: 'ok', value: '9' });
    expect(sent.map(({ body }) => body)).toMatchObject([
      { username: 'alex' },
      { username: 'alex_6789ab' },
      { username: 'alex_0123456789ab' },
    ]);
    expect(await panelWorld([taken, taken, taken, taken]).panel.ensureUser(USER)).toEqual({
      outcome: 'refused',
      reason: 'username_taken',
    });
  });

  test('T26 a caller who loses a race, or the answer, searches by our id', async () => {
    for (const lost of [
      panelErrors(500, 'UniqueConstraintViolationException'),
      panelErrors(422, 'ValidationException', '', { external_id: 'unique' }),
      networkError('ECONNRESET'),
    ]) {
      expect(await panelWorld([lost, okAnswer(account(9))]).panel.ensureUser(USER)).toEqual({
        outcome: 'ok',
        value: '9',
      });
    }
    expect(await panelWorld([networkError('ECONNRESET'), NOT_THERE]).panel.ensureUser(USER)).toEqual({
      outcome: 'unknown',
    });
    expect(await panelWorld([panelErrors(401, 'AuthenticationException')]).panel.ensureUser(USER)).toEqual({
      outcome: 'refused',
      reason: 'key',
    });
  });

  test('a change sends all the panel wants, and nothing of language, password or power', async () => {
    const { panel, sent } = panelWorld([okAnswer(account(5))]);
    expect(await panel.updateUser('5', { ...USER, email: 'new@example.test', lastName: 'B.' })).toEqual({
      outcome: 'ok',
      value: null,
    });
    expect(sent[0]).toMatchObject({ method: 'PATCH', path: '/api/application/users/5' });
    expect(sent[0]?.body).toEqual({
      external_id: ID,
      email: 'new@example.test',
      username: 'alex',
      first_name: 'Alex',
      last_name: 'B.',
    });
    expect(
      await panelWorld([panelErrors(422, 'ValidationException', '', { email: 'unique' })]).panel.updateUser('5', USER),
    ).toEqual({ outcome: 'refused', reason: 'email_taken' });
    expect(await panelWorld([NOT_THERE]).panel.updateUser('5', USER)).toEqual({ outcome: 'not_found' });
    expect(await panelWorld().panel.updateUser('../1', USER)).toEqual({ outcome: 'refused', reason: 'id' });
  });
});
