import { beforeEach, describe, expect, test } from 'bun:test';
import type { LinkProviderId } from '#shared/link-providers.ts';
import { SETTINGS, type SettingValues } from '#shared/settings.ts';
import { fakeClock } from '#tests/support/clock.ts';
import { createLinkServices, LINK_KEYS, type LinkServices } from '#tests/support/link-services.ts';
import { safeLink } from './call.ts';
import { createLinkProviders } from './index.ts';

const clock = fakeClock();
let services: LinkServices;
let values: Record<string, unknown>;
const CLAIM = '0190a000-0000-7000-8000-0000000003e7';
const TARGET = 'https://dash.example/earn/links/return?claim=clm_7F3k';

beforeEach(() => {
  services = createLinkServices(clock.now);
  values = {
    ...Object.fromEntries(Object.entries(SETTINGS).map(([key, row]) => [key, row.default])),
    link_linkvertise_user: '123456',
    link_linkvertise_key: LINK_KEYS.linkvertise,
    link_linkvertise_api: 'https://standin.example/linkvertise',
    link_shareus_key: LINK_KEYS.shareus,
    link_shareus_api: 'https://standin.example/shareus',
    link_linkpays_key: LINK_KEYS.linkpays,
    link_linkpays_api: 'https://standin.example/linkpays',
    link_gyanilinks_key: LINK_KEYS.gyanilinks,
    link_gyanilinks_api: 'https://standin.example/gyanilinks',
    link_generic_start: 'https://sponsor.example/go?to={url}&c={claim}',
    link_generic_check: 'https://standin.example/generic/check/{token}?key={key}',
    link_generic_conditions: 'valid=true\ninfo.linkId = 77\ninfo.byIp={address}',
    link_generic_key: LINK_KEYS.generic,
    link_generic_placeholder: '{TOKEN}',
  };
});

const of = (id: LinkProviderId) =>
  createLinkProviders({
    settings: { current: () => values as SettingValues },
    fetch: services.fetch,
    userAgent: () => 'test',
  }).of(id);
const way = (id: LinkProviderId) => of(id).createLink({ claimId: CLAIM, target: TARGET });
const resultOf = async (id: LinkProviderId, proof: string, address = '203.0.113.1') =>
  (await of(id).check(proof, { claimId: CLAIM, address })).result;

test('a provider that is not set up is not ready', () => {
  for (const key of [
    'link_linkvertise_user',
    'link_shareus_key',
    'link_linkpays_key',
    'link_gyanilinks_key',
    'link_generic_start',
  ])
    values[key] = '';
  expect(
    (['linkvertise', 'shareus', 'linkpays', 'gyanilinks', 'generic'] as const).filter((id) => of(id).ready),
  ).toEqual([]);
});

describe('Linkvertise', () => {
  test('the link holds the target as the manual’s example does, and asks nobody', async () => {
    const made = await way('linkvertise');
    expect(made).toEqual({
      url: `https://link-to.net/123456/0.9/dynamic?r=${encodeURIComponent(btoa(TARGET))}`,
      answer: '',
    });
    expect(services.state.calls).toEqual([]);
  });

  test('all ways of saying yes and no are read', async () => {
    for (const words of ['text', 'lower', 'quoted', 'json'] as const) {
      services.state.words = words;
      expect([
        words,
        await resultOf('linkvertise', services.prove()),
        await resultOf('linkvertise', 'f'.repeat(64)),
      ]).toEqual([words, 'yes', 'no']);
    }
  });

  test('a proof lives ten seconds', async () => {
    const proof = services.prove();
    clock.advance(10_000);
    expect(await resultOf('linkvertise', proof)).toBe('yes');
    clock.advance(1);
    expect(await resultOf('linkvertise', proof)).toBe('no');
  });

  test('an unclear answer is unknown, and a wrong token is a fault', async () => {
    const proof = services.prove();
    const unclear = [
      '',
      'TRUE FALSE',
      '<html>TRUE</html>',
      '{"status":"true"}',
      '{"status":1}',
      '[]',
      'null',
      '{',
      'yes',
      'x'.repeat(70_000),
    ];
    for (const body of unclear) {
      services.fail('linkvertise', { kind: 'answer', status: 200, body });
      expect([body.slice(0, 20), await resultOf('linkvertise', proof)]).toEqual([body.slice(0, 20), 'unknown']);
    }
    for (const status of [302, 403, 429, 500, 503]) {
      services.fail('linkvertise', { kind: 'answer', status, body: 'TRUE' });
      expect([status, await resultOf('linkvertise', proof)]).toEqual([status, 'unknown']);
    }
    for (const kind of ['cut', 'late'] as const) {
      services.fail('linkvertise', { kind, when: 'after' });
      expect(await resultOf('linkvertise', proof)).toBe('unknown');
    }
    values.link_linkvertise_key = 'wrong';
    expect(await resultOf('linkvertise', proof)).toBe('fault');
  });

  test('T50 what is kept of an answer holds neither token nor proof', async () => {
    const proof = services.prove();
    services.fail('linkvertise', {
      kind: 'answer',
      status: 500,
      body: `failed: /anti_bypassing?token=${LINK_KEYS.linkvertise}&hash=${proof}`,
    });
    expect((await of('linkvertise').check(proof, { claimId: CLAIM, address: '' })).answer).toBe(
      '500 failed: /anti_bypassing?token=***&hash=***',
    );
  });
});

describe.each(['linkpays', 'gyanilinks'] as const)('%s', (id) => {
  test('every shape of a good answer is read', async () => {
    for (const shape of ['plain', 'escaped', 'http', 'message'] as const) {
      services.state.shape = shape;
      expect(await way(id)).toMatchObject({
        url: expect.stringMatching(new RegExp(`^https://${id}\\.(in|com)/[\\w-]{6}$`)),
      });
    }
    expect(services.callsOf(id)[0]).toMatchObject({
      method: 'GET',
      path: '/api',
      query: { url: TARGET, format: 'json', api: LINK_KEYS[id] },
    });
  });

  test('T45 a link to another host leads nobody astray', async () => {
    services.state.shape = 'foreign';
    expect(await way(id)).toMatchObject({ failed: 'unavailable' });
  });

  test('refusals with status 200, walls against robots, and what is no answer are refused', async () => {
    const cases: readonly [number, string, string][] = [
      [200, '{"status":"error","message":"Invalid API token","shortenedUrl":""}', 'refused'],
      [200, '{"status":"error","message":["URL is invalid."],"shortenedUrl":""}', 'refused'],
      [200, '', 'unavailable'],
      [200, '{"shortenedUrl":"https://linkpays.in/x"}', 'unavailable'],
      [200, '{"status":"success"}', 'unavailable'],
      [200, '{', 'unavailable'],
      [403, '<html>challenge</html>', 'unavailable'],
      [429, '', 'unavailable'],
      [502, '', 'unavailable'],
      [302, '', 'unavailable'],
    ];
    for (const [status, body, failed] of cases) {
      services.fail(id, { kind: 'answer', status, body });
      expect([body, await way(id)]).toMatchObject([body, { failed }]);
    }
    services.fail(id, { kind: 'late', when: 'before' });
    expect(await way(id)).toMatchObject({ failed: 'unavailable' });
    values[`link_${id}_key`] = 'wrong';
    expect(await way(id)).toMatchObject({ failed: 'refused' });
  });

  test('a redirect proves nothing', async () => {
    expect([of(id).proves, of(id).isProof('f'.repeat(64)), await resultOf(id, 'f'.repeat(64))]).toEqual([
      false,
      false,
      'no',
    ]);
  });
});

test('ShareUs answers a plain link, and anything else is none', async () => {
  expect(await way('shareus')).toMatchObject({ url: expect.stringMatching(/^https:\/\/shareus\.io\/[\w-]{6}$/) });
  const cases: readonly [number, string, string][] = [
    [200, '{"link":"https://shareus.io/x"}', 'refused'],
    [200, 'invalid api key', 'refused'],
    [200, '<html>', 'unavailable'],
    [200, 'https://evil.example/x', 'refused'],
    [400, 'https://shareus.io/x', 'refused'],
    [500, '', 'unavailable'],
  ];
  for (const [status, body, failed] of cases) {
    services.fail('shareus', { kind: 'answer', status, body });
    expect([body, await way('shareus')]).toMatchObject([body, { failed }]);
  }
});

describe('the provider that is described by templates', () => {
  test('the start address carries where to come back, with the place of the proof readable', async () => {
    const made = await way('generic');
    expect(made).toMatchObject({
      url: `https://sponsor.example/go?to=${encodeURIComponent(`${TARGET}&token=`)}{TOKEN}&c=${CLAIM}`,
    });
    values.link_generic_check = '';
    expect(await way('generic')).toMatchObject({
      url: `https://sponsor.example/go?to=${encodeURIComponent(TARGET)}&c=${CLAIM}`,
    });
    expect([of('generic').proves, of('generic').name]).toEqual([false, 'sponsor.example']);
  });

  test('a proof is good once, where every condition holds', async () => {
    const proof = services.prove();
    expect([await resultOf('generic', proof), await resultOf('generic', proof)]).toEqual(['yes', 'no']);
    expect(await resultOf('generic', services.prove(), '192.0.2.9')).toBe('no');
    values.link_generic_conditions = 'valid=true\ninfo.linkId=78';
    expect(await resultOf('generic', services.prove())).toBe('no');
    values.link_generic_conditions = ' \n';
    expect(await resultOf('generic', services.prove())).toBe('no');
  });

  test('an unclear answer is unknown, and a refused key is a fault', async () => {
    services.fail(
      'generic',
      { kind: 'answer', status: 200, body: '<html>valid=true</html>' },
      { kind: 'answer', status: 500, body: '{"valid":true}' },
      { kind: 'cut', when: 'after' },
    );
    for (let turn = 0; turn < 3; turn++) expect(await resultOf('generic', services.prove())).toBe('unknown');
    values.link_generic_key = 'wrong';
    expect(await resultOf('generic', services.prove())).toBe('fault');
  });

  test('a value of the visitor’s changes nothing but its own place', async () => {
    await resultOf('generic', 'abcdefgh.~-');
    expect(services.callsOf('generic')[0]?.path).toBe('/check/abcdefgh.~-');
    expect(['../../x?key=1', 'a b c d e f', '', 'short'].map((text) => of('generic').isProof(text))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

test('T45 a short link is HTTPS, on a known host or below it, and plain', () => {
  const cases: readonly [string, string | null][] = [
    ['https://linkpays.in/AbCd', 'https://linkpays.in/AbCd'],
    ['http://www.linkpays.in/x', 'https://www.linkpays.in/x'],
    [' https://linkpays.in/x\n', 'https://linkpays.in/x'],
    ['https://linkpays.in.evil.example/x', null],
    ['https://evillinkpays.in/x', null],
    ['https://linkpays.in@evil.example/x', null],
    ['https://a:b@linkpays.in/x', null],
    ['https://linkpays.in:8443/x', null],
    ['javascript:alert(1)', null],
    ['//linkpays.in/x', null],
    ['data:text/html,x', null],
    ['', null],
  ];
  for (const [text, link] of cases) expect([text, safeLink(text, 'linkpays.in shrs.link')]).toEqual([text, link]);
});
