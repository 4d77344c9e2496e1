import { beforeAll, describe, expect, test } from 'bun:test';
import { errorsOf, plain, recordings, replay, type Replayed } from './recorded.ts';

const all = recordings();
let replayed = new Map<number, Replayed>();
beforeAll(async () => {
  replayed = await replay(all);
}, 300_000);

/** What the real panel asked of a machine in a recording; left-overs of calls before it are not of this one. */
const machineCalls = (each: (typeof all)[number]) =>
  each.daemonCalls.map((call) => plain(`${call.method} ${call.path}`));
/**
 * The machine hung for 30 s, and the real panel's clean-up reached it only after the answer: it is in the log of a
 * later exchange.
 */
const LATE_CLEANUP = new Set(['server-create-daemon-timeout-504', 'server-details-duplicate-external-id-422']);

describe('the fake panel answers as the real one was recorded', () => {
  for (const each of all) {
    test(`the recorded answer ${each.number} ${each.name} is the same`, () => {
      const got = replayed.get(each.number);
      const { status, headers, body } = each.response;
      expect(got?.status).toBe(status);
      const type = (headers['content-type'] ?? '').split(';')[0];
      expect((got?.headers.get('content-type') ?? '').split(';')[0]).toBe(type ?? '');
      for (const name of ['x-ratelimit-limit', 'allow'])
        expect(got?.headers.get(name) ?? undefined).toBe(headers[name]);
      for (const name of ['x-ratelimit-remaining', 'retry-after', 'x-ratelimit-reset', 'location'])
        expect(got?.headers.has(name)).toBe(name in headers);
      if (status >= 400) expect(errorsOf(got?.body)).toEqual(errorsOf(body));
      else if (type === 'application/json' || status === 204) expect(plain(got?.body)).toEqual(plain(body));
      if (!LATE_CLEANUP.has(each.name)) expect(got?.daemonCalls.map(plain)).toEqual(machineCalls(each));
    });
  }
});

describe('what is compared', () => {
  test('a name more, a value that differs and another kind of value are seen, and uuids, times and addresses are not', () => {
    const one = { id: 1, uuid: 'a', created_at: '2026-11-21T07:45:39+00:00', url: 'http://127.0.0.1:8901/api' };
    expect(
      plain({ ...one, uuid: 'b', created_at: '2027-01-01T00:00:00+00:00', url: 'http://127.0.0.1:1/api' }),
    ).toEqual(plain(one));
    for (const other of [
      { ...one, more: null },
      { ...one, id: 2 },
      { ...one, id: '1' },
      { ...one, uuid: null },
    ])
      expect(plain(other)).not.toEqual(plain(one));
  });

  test('errors are compared by code, status, field and rule', () => {
    const error = {
      code: 'ValidationException',
      status: '422',
      detail: 'x',
      meta: { source_field: 'email', rule: 'unique' },
    };
    expect(errorsOf({ errors: [{ ...error, detail: 'y' }] })).toEqual(errorsOf({ errors: [error] }));
    for (const other of [
      { ...error, code: 'A' },
      { ...error, meta: { ...error.meta, rule: 'email' } },
      { ...error, meta: undefined },
    ]) {
      expect(errorsOf({ errors: [other] })).not.toEqual(errorsOf({ errors: [error] }));
    }
    expect(errorsOf({ data: [] })).toBeNull();
  });
});
