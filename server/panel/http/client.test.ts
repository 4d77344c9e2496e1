import { describe, expect, test } from 'bun:test';
import {
  listBody,
  networkError,
  panelDeps,
  panelErrors,
  runClock,
  scriptedPanel,
  serverBody,
  runPending,
  type Scripted,
} from '#tests/support/panel-http.ts';
import { FAILURES, FIRST_PAUSE_MS } from './breaker.ts';
import { createHttpPanel, detectDialect } from './panel.ts';
import { rootOf } from './client.ts';

const ROW = {
  id: 'p1',
  dialect: 'pterodactyl',
  url: 'https://panel.example.test/',
  key: 'ptla_key',
  clientKey: null,
} as const;
function world(answers: Scripted[] = [], rest?: Parameters<typeof scriptedPanel>[1]) {
  const script = scriptedPanel(answers, rest);
  const deps = panelDeps(script.fetch);
  return { ...script, deps, ...createHttpPanel(deps, ROW) };
}
const away = () => networkError('ECONNREFUSED');
const found = { status: 200, body: serverBody() };

describe('questions and commands', () => {
  test('a question is asked again where that may help, with growing pauses', async () => {
    const { panel, sent, deps } = world([networkError('ECONNRESET'), panelErrors(500, 'TypeError'), found]);
    const startMs = deps.clock.now();
    const answer = await runClock(deps, panel.readServer('41'), 50);
    expect(answer).toMatchObject({ outcome: 'ok', value: { panelId: '41' } });
    expect(sent.length).toBe(3);
    expect(deps.clock.now() - startMs).toBe(750);
  });

  test('a question is asked at most three times, and not where it cannot help', async () => {
    const downFor = async (answer: () => Scripted) => {
      const { panel, sent, deps } = world([], answer);
      const { outcome } = await runClock(deps, panel.readServer('41'), 50);
      return [outcome, sent.length];
    };
    expect(await downFor(away)).toEqual(['unavailable', 3]);
    expect(await downFor(() => panelErrors(504, 'DaemonConnectionException'))).toEqual(['unavailable', 1]);
    expect(await downFor(() => new Response('<html>', { headers: { 'Content-Type': 'text/html' } }))).toEqual([
      'unavailable',
      1,
    ]);
    expect(await downFor(() => networkError('CERT_HAS_EXPIRED'))).toEqual(['unavailable', 1]);
    expect(await downFor(() => panelErrors(401, 'AuthenticationException'))).toEqual(['refused', 1]);
    expect(await downFor(() => panelErrors(404, 'NotFoundHttpException'))).toEqual(['not_found', 1]);
  });

  test('T26 a command is sent once, whatever becomes of it', async () => {
    for (const [answer, outcome] of [
      [networkError('ECONNRESET'), 'unknown'],
      [away(), 'unavailable'],
      [panelErrors(500, 'TypeError'), 'unknown'],
      [panelErrors(429, 'ThrottleRequestsException'), 'unavailable'],
    ] as const) {
      const { panel, sent } = world([answer]);
      expect((await panel.suspend('41')).outcome).toBe(outcome);
      expect(sent.length).toBe(1);
    }
  });

  test('T26 an answer of another shape is none: of a question unavailable, of a command unknown', async () => {
    const { panel, catalogue } = world([
      { status: 200, body: { object: 'server', attributes: { id: 41 } } },
      { status: 200, body: [] },
      { status: 201, body: serverBody({ external_id: 'another' }) },
    ]);
    expect(await panel.readServer('41')).toEqual({ outcome: 'unavailable' });
    expect(catalogue.health().lastFailure).toBe('shape');
    expect(await panel.setDetails('41', { name: 'a', description: '', externalId: 'ours-1', userId: '5' })).toEqual({
      outcome: 'unknown',
    });
  });

  test('T26 Retry-After holds everybody back, and nobody waits for it beyond patience', async () => {
    const { panel, sent, deps, catalogue } = world([
      {
        status: 429,
        body: {},
        headers: { 'Retry-After': '56', 'X-RateLimit-Limit': '240', 'X-RateLimit-Remaining': '0' },
      },
      found,
    ]);
    expect(await panel.readServer('41')).toEqual({ outcome: 'unavailable', away: 'busy' });
    expect(catalogue.health()).toMatchObject({
      circuit: 'closed',
      budget: { limit: 240, left: 0 },
      lastFailure: 'rate_limited',
    });
    expect(await runClock(deps, panel.suspend('41'), 1000)).toEqual({ outcome: 'unavailable', away: 'busy' });
    expect(sent.length).toBe(1);
    deps.clock.advance(35_000);
    const startMs = deps.clock.now();
    expect(await runClock(deps, panel.readServer('41'), 500)).toMatchObject({ outcome: 'ok' });
    expect([sent.length, deps.clock.now() - startMs]).toEqual([2, 1000]);
  });

  test('a panel that is down is left alone, tried by one call after a pause, and asked again when it is back', async () => {
    let down = true;
    const { panel, sent, deps, catalogue } = world([], () => (down ? away() : found));
    for (let call = 0; call < FAILURES; call += 1) await panel.suspend('41');
    expect(catalogue.health()).toMatchObject({
      circuit: 'open',
      opensAgainMs: deps.clock.now() + FIRST_PAUSE_MS,
      lastFailure: 'refused',
      lastAnswerMs: null,
    });
    expect(await panel.suspend('41')).toEqual({ outcome: 'unavailable' });
    expect(sent.length).toBe(FAILURES);
    expect(catalogue.health().lastFailure).toBe('refused');
    deps.clock.advance(FIRST_PAUSE_MS);
    down = false;
    expect(await Promise.all([panel.readServer('41'), panel.readServer('41')])).toMatchObject([
      { outcome: 'ok' },
      { outcome: 'unavailable' },
    ]);
    expect(catalogue.health()).toMatchObject({ circuit: 'closed', lastFailure: null, lastAnswerMs: deps.clock.now() });
    expect((await panel.readServer('41')).outcome).toBe('ok');
  });

  test('machines that are down are no fault of the panel', async () => {
    const { panel, sent, catalogue } = world([], () => panelErrors(504, 'DaemonConnectionException'));
    for (let call = 0; call < FAILURES + 3; call += 1)
      expect(await panel.suspend('41')).toEqual({ outcome: 'unknown', away: 'node' });
    expect(sent.length).toBe(FAILURES + 3);
    expect(catalogue.health()).toMatchObject({ circuit: 'closed', lastFailure: null });
  });

  test('lists leave a part of the limit to those whom somebody waits for', async () => {
    const { panel, background, sent } = world([], () => ({ status: 200, body: listBody([]) }));
    const outcomes: string[] = [];
    for (let call = 0; call < 60; call += 1)
      void background.listServers(1).then(({ outcome }) => outcomes.push(outcome));
    for (let round = 0; round < 20; round += 1) await runPending();
    expect([outcomes.length, sent.length]).toEqual([40, 40]);
    void panel.listServers(1).then(({ outcome }) => outcomes.push(outcome));
    void panel.readServer('41').then(({ outcome }) => outcomes.push(outcome));
    for (let round = 0; round < 20; round += 1) await runPending();
    expect(sent.length).toBe(41);
    expect(sent.at(-1)?.path).toStartWith('/api/application/servers/41');
  });

  test('what went wrong is in the log, the key and the query are not', async () => {
    const { panel, deps } = world([panelErrors(422, 'ValidationException', 'The name is odd.', { name: 'max' })]);
    await panel.setDetails('41', { name: 'a', description: 'secret text', externalId: 'ours-1', userId: '5' });
    expect(deps.log.lines).toEqual([
      {
        level: 'info',
        event: 'panel.call_failed',
        fields: {
          panel: 'p1',
          call: 'PATCH application /servers/41/details',
          outcome: 'refused',
          reason: 'name',
          failure: null,
          status: 422,
          code: 'ValidationException',
          detail: 'The name is odd.',
        },
      },
    ]);
    expect(JSON.stringify(deps.log.lines)).not.toMatch(/ptla_key|secret text/);
  });

  test.each([
    ['https://panel.example.test', 'https://panel.example.test'],
    [' https://panel.example.test/ ', 'https://panel.example.test'],
    ['https://panel.example.test/api/application/', 'https://panel.example.test'],
    ['https://panel.example.test/games/api', 'https://panel.example.test/games'],
  ])('the address %s is %s', (typed, root) => {
    expect(rootOf(typed)).toBe(root);
  });
});

describe('which panel stands there', () => {
  const noRoute = (route: string) =>
    panelErrors(404, 'NotFoundHttpException', `The route api/application/${route} could not be found.`);
  const detect = (answers: Scripted[]) =>
    detectDialect(panelDeps(scriptedPanel(answers).fetch), { url: 'https://panel.example.test', key: 'k' });

  test('a panel with locations is Pterodactyl, also where the key may not see them', async () => {
    expect(await detect([{ status: 200, body: listBody([]) }])).toEqual({
      answer: { outcome: 'ok', value: 'pterodactyl' },
      failure: null,
    });
    expect(
      (await detect([panelErrors(403, 'AccessDeniedHttpException', 'This action is unauthorized.')])).answer,
    ).toEqual({ outcome: 'ok', value: 'pterodactyl' });
  });
  test('a panel without locations and with eggs of its own is Pelican', async () => {
    expect((await detect([noRoute('locations'), { status: 200, body: { object: 'list', data: [] } }])).answer).toEqual({
      outcome: 'ok',
      value: 'pelican',
    });
    expect(
      (
        await detect([
          noRoute('locations'),
          panelErrors(403, 'AccessDeniedHttpException', 'This action is unauthorized.'),
        ])
      ).answer,
    ).toEqual({ outcome: 'ok', value: 'pelican' });
  });
  test('a key that is not taken, another program, and nobody are distinguished', async () => {
    expect(await detect([panelErrors(401, 'AuthenticationException')])).toEqual({
      answer: { outcome: 'refused', reason: 'key' },
      failure: 'key',
    });
    expect(await detect([noRoute('locations'), panelErrors(401, 'AuthenticationException')])).toEqual({
      answer: { outcome: 'refused', reason: 'key' },
      failure: 'key',
    });
    expect(await detect([noRoute('locations'), noRoute('eggs')])).toEqual({
      answer: { outcome: 'unavailable' },
      failure: 'not_api',
    });
    expect(await detect([new Response('<html>', { headers: { 'Content-Type': 'text/html' } })])).toEqual({
      answer: { outcome: 'unavailable' },
      failure: 'not_json',
    });
    expect(await detect([Response.redirect('https://elsewhere.example.test', 302)])).toEqual({
      answer: { outcome: 'unavailable' },
      failure: 'redirect',
    });
    expect(await detect([networkError('CERT_HAS_EXPIRED')])).toEqual({
      answer: { outcome: 'unavailable' },
      failure: 'tls',
    });
  });
});
