import { expect, test } from 'bun:test';
import { fromJSONSchema } from 'zod';
import { EVENTS, objectOf, outsideEvents, outsidePayload, type EventName } from './index.ts';

test('every event that hearers outside may have has a sentence, a schema, and an example that fits both', () => {
  const names = (Object.keys(EVENTS) as EventName[]).filter((name) => EVENTS[name].outside.length > 0);
  expect(outsideEvents().map(({ name }) => name)).toEqual(names.toSorted());
  for (const { name, description, schema, example } of outsideEvents()) {
    expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].+\.$/)]);
    // The schema is read back by a validator that knows nothing of where it came from.
    const parsed = fromJSONSchema({ ...schema } as Parameters<typeof fromJSONSchema>[0]).safeParse(example);
    expect([name, parsed.success, parsed.error?.message]).toEqual([name, true, undefined]);
    expect([name, Object.keys(example)]).toEqual([name, [...EVENTS[name].outside]]);
  }
});

test('an event that hearers outside may not have has no sentence', () => {
  const hidden = Object.values(EVENTS).filter(({ outside }) => outside.length === 0);
  expect(hidden.flatMap(({ description }) => description ?? [])).toEqual([]);
});

test('a payload loses every field that is not declared for hearers outside', () => {
  expect(outsidePayload('user.banned', { userId: 'u1', reason: 'spam', untilMs: null, status: 'active' })).toEqual({
    userId: 'u1',
    untilMs: null,
  });
});

test('an event is about the thing that it names, else about the user, else about the installation', () => {
  expect(objectOf('server.renewed', { userId: 'u1', serverId: 's1' })).toBe('serverId:s1');
  expect(objectOf('user.banned', { userId: 'u1' })).toBe('userId:u1');
  expect(objectOf('ledger.faults_found', { count: 2 })).toBe('');
});
