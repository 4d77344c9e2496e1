import { afterEach, expect, test } from 'bun:test';
import { RESOURCES } from '#shared/resources/index.ts';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/mc-admin/sso-providers');
const { cleanup, fireEvent, screen } = await import('@testing-library/react');
const { NOW, refuse, showScreen } = await import('#tests/support/screens.tsx');
const { editScreen } = await import('#client/resource/form.tsx');
const { overrides } = await import('./overrides.tsx');

afterEach(cleanup);

const ID = '0190a000-0000-7000-8000-000000000001';
const ROW = {
  id: ID,
  name: 'Nordlicht ID',
  kind: 'oidc',
  issuer: 'https://id.example',
  client_id: 'spawnpoint',
  client_secret: '',
  scopes: 'openid',
  icon: 'key',
  position: 0,
  enabled: true,
  secret_set_at: NOW,
  linked: 0,
  created_at: NOW,
  updated_at: NOW,
};
const { Screen, ...rest } = editScreen(RESOURCES.ssoProviders, overrides as never);
const TEST = `POST /api/admin/sso-providers/${ID}/test`;
const show = (row: object, answer: object) =>
  showScreen({ default: Screen, ...rest } as never, {
    url: `/mc-admin/sso-providers/${ID}/edit`,
    path: '/mc-admin/sso-providers/:id/edit',
    answers: {
      [`GET /api/admin/sso-providers/${ID}`]: { row: { ...ROW, ...row }, options: {}, dependants: [] },
      [`GET /api/admin/sso-providers/${ID}/dependants`]: { dependants: [] },
      [TEST]: answer,
    } as never,
    session: { permissions: ['admin.root'] },
    inBrowser: true,
  });

test('a service is tested by a click, and what is wrong is said in words and by its name', async () => {
  const { calls } = show({}, { fault: { fault: 'issuer', cause: 'OAUTH_X' } });
  fireEvent.click(await screen.findByRole('button', { name: 'Test this service' }));
  expect(await screen.findByText(/The service calls itself something else/)).toBeTruthy();
  expect(screen.getByText('OAUTH_X')).toBeTruthy();
  expect(calls(TEST).map(({ body }) => body ?? null)).toEqual([null]);
  cleanup();
  show({}, { fault: null });
  fireEvent.click(await screen.findByRole('button', { name: 'Test this service' }));
  expect(await screen.findByText('The service answers as it should.')).toBeTruthy();
});

test('a refused test is said, and a service whose addresses are known has none', async () => {
  show({}, refuse('RATE_LIMITED', {}, 30));
  fireEvent.click(await screen.findByRole('button', { name: 'Test this service' }));
  expect(await screen.findByText(/too/i)).toBeTruthy();
  cleanup();
  show({ kind: 'github' }, {});
  expect(await screen.findByDisplayValue('Nordlicht ID')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Test this service' })).toBeNull();
});
