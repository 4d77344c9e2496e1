import { afterEach, expect, test } from 'bun:test';
import { installDom } from '#tests/support/dom.ts';

await installDom('https://panel.example/terms-of-service');
const { cleanup, screen } = await import('@testing-library/react');
const { GUEST, showScreen } = await import('#tests/support/screens.tsx');
const terms = await import('./terms.tsx');
const privacy = await import('./privacy.tsx');

afterEach(cleanup);

/** The host has no texts of its own. */
const NONE = { 'GET /api/system/legal/privacy': { text: null }, 'GET /api/system/legal/terms': { text: null } };

test("terms carry the host's numbers, and without renewal they do not speak of it", async () => {
  showScreen(terms, {
    url: '/terms-of-service',
    answers: NONE,
    session: GUEST,
    settings: { server_renew_days: 14, renew_grace_days: 1 },
  });
  expect(await screen.findByText(/paid for 14 days at a time/)).toBeTruthy();
  expect(screen.getByText(/1 day later it is deleted/)).toBeTruthy();
  cleanup();
  showScreen(terms, {
    url: '/terms-of-service',
    answers: NONE,
    session: GUEST,
    flags: { server_renew_enabled: false },
  });
  await screen.findByRole('heading', { level: 1, name: 'Terms of service' });
  expect(screen.queryByRole('heading', { name: 'Renewal' })).toBeNull();
});

test('the contents lead to the sections', async () => {
  showScreen(privacy, { url: '/privacy-policy', answers: NONE, session: GUEST });
  const link = await screen.findByRole('link', { name: 'Cookies' });
  const target = document.getElementById(link.getAttribute('href')?.slice(1) ?? '');
  expect(target?.querySelector('h2')?.textContent).toBe('Cookies');
});

test('the company stands at the end, or that it is not known', async () => {
  const settings = {
    company_name: 'Nordlicht Hosting',
    company_address: 'Hafenweg 1',
    company_zip: '20457',
    company_city: 'Hamburg',
    company_vat: 'DE1',
  };
  showScreen(privacy, { url: '/privacy-policy', answers: NONE, settings });
  expect(await screen.findByText('20457 Hamburg')).toBeTruthy();
  expect(screen.getByText('VAT number: DE1')).toBeTruthy();
  cleanup();
  showScreen(terms, { url: '/terms-of-service', answers: NONE });
  expect(
    await screen.findByText(/\. The owner hasn’t entered an address yet; ask them where you met them/),
  ).toBeTruthy();
});

test("the host's own text takes the place of ours, with its own contents", async () => {
  const text = {
    html: '<h2 id="section-1">Data</h2><p>We keep <strong>little</strong>.</p>',
    sections: [{ id: 'section-1', title: 'Data' }],
  };
  const { container } = showScreen(privacy, {
    url: '/privacy-policy',
    session: GUEST,
    answers: { 'GET /api/system/legal/privacy': { text } },
  });
  const link = await screen.findByRole('link', { name: 'Data' });
  expect(link.getAttribute('href')).toBe('#section-1');
  expect(container.querySelector('strong')?.textContent).toBe('little');
  expect(screen.queryByRole('heading', { name: 'Cookies' })).toBeNull();
  expect(screen.getByRole('heading', { level: 2, name: 'Who runs this host' })).toBeTruthy();
});
