import type { Browser, BrowserContext, Page } from '@playwright/test';
import { pngOf } from '#tests/support/pictures.ts';
import { configure, expect, expectWhole, setupCode, signUp, test, watch, type Installation } from './fixtures.ts';

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 360, height: 780 };

interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly complaints: string[];
}

async function visitor(browser: Browser, host: Installation, viewport: { width: number; height: number }) {
  const context = await browser.newContext({ baseURL: host.url, viewport });
  const page = await context.newPage();
  return { context, page, complaints: watch(page) };
}
const expectSound = ({ page, complaints }: Visitor, what: string) => expectWhole(page, complaints, what);

/** Uploads an image from a page of its owner. */
const upload = (page: Page, name: string, bytes: readonly number[]): Promise<{ link: string }> =>
  page.evaluate(
    async ([called, file]) => {
      const address = `/api/images?upload=${crypto.randomUUID()}&name=${called}`;
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'Content-Type': 'application/octet-stream' },
        body: new Uint8Array(file),
      });
      return ((await response.json()) as { image: { link: string } }).image;
    },
    [name, [...bytes]] as const,
  );

test('a visitor reports an image, and staff look at it when they want to and delete it for good', async ({
  browser,
  host,
}) => {
  await configure(host, { image_hosting_enabled: true, image_price: 0, altcha_cost: 100 });
  const [staff, guest] = [await visitor(browser, host, DESK), await visitor(browser, host, PHONE)];
  await signUp(staff.page, 'oana', setupCode(host));
  await staff.page.goto('/images');
  const { link } = await upload(staff.page, 'night-tower.png', [...pngOf(480, 300)]);

  await test.step('the visitor gets from the image to the form, which works out the challenge by itself', async () => {
    await guest.page.goto(new URL(link).pathname);
    await expectSound(guest, 'the page of an image');
    await guest.page.getByRole('link', { name: 'Report' }).click();
    await guest.page.getByLabel('What’s wrong with it?').selectOption('Violence or threats');
    await guest.page.getByLabel('Anything we should know?').fill('Somebody is threatened.');
    await expectSound(guest, 'the form of a report');
    await guest.page.getByRole('button', { name: 'Send report' }).click();
    await expect(guest.page.getByText('The team hasn’t looked at it yet.')).toBeVisible();
    // The answer that asked for the challenge is a refusal like any other to the browser.
    guest.complaints.splice(0);
    await expectSound(guest, 'what becomes of a report');
  });

  await test.step('staff see it blurred, show it, and delete it', async () => {
    await staff.page.goto('/mc-admin/image-reports');
    await expectSound(staff, 'the list of reports');
    await staff.page.getByRole('link', { name: 'night-tower.png' }).click();
    const clear = staff.page.getByRole('img', { name: 'The reported image', exact: true });
    await expect(clear).toBeHidden();
    await expectSound(staff, 'a report');
    await staff.page.getByText('Show the image').click();
    await expect(clear).toBeVisible();
    await expect.poll(() => clear.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(480);
    await staff.page.getByRole('button', { name: 'Delete', exact: true }).click();
    await staff.page.getByRole('button', { name: 'Yes, delete for good' }).click();
    await expect(staff.page.getByText('The image is deleted and stays away.')).toBeVisible();
    await expectSound(staff, 'a report whose image is deleted');
  });

  await test.step('staff select several, are asked before the images go, and find none of them afterwards', async () => {
    await staff.page.goto('/images');
    const links: string[] = [];
    for (const name of ['tower.png', 'harbour.png', 'castle.png'])
      links.push((await upload(staff.page, name, [...pngOf(120, 80, links.length)])).link);
    for (const each of links) {
      await staff.page.goto(new URL(each).pathname);
      await staff.page.getByRole('link', { name: 'Report' }).click();
      await staff.page.getByLabel('What’s wrong with it?').selectOption('Violence or threats');
      await staff.page.getByRole('button', { name: 'Send report' }).click();
      await expect(staff.page.getByText('The team hasn’t looked at it yet.')).toBeVisible();
    }
    staff.complaints.splice(0);
    for (const [viewport, names] of [
      [DESK, ['tower.png', 'harbour.png']],
      [PHONE, ['castle.png']],
    ] as const) {
      await staff.page.setViewportSize(viewport);
      await staff.page.goto('/mc-admin/image-reports');
      for (const name of names) await staff.page.getByRole('checkbox', { name: new RegExp(name) }).check();
      await expectSound(staff, `reports that are selected (${viewport.width})`);
      await staff.page.getByRole('button', { name: 'Delete', exact: true }).click();
      await expect(staff.page.getByRole('dialog')).toBeVisible();
      await expectSound(staff, `what asks before images are deleted (${viewport.width})`);
      await staff.page.getByRole('button', { name: 'Yes, delete for good' }).click();
      for (const name of names) await expect(staff.page.getByRole('link', { name })).toHaveCount(0);
    }
  });

  await test.step('the visitor reads that it is gone', async () => {
    await guest.page.reload();
    await expect(guest.page.getByText('The image was deleted. Thank you for telling us.')).toBeVisible();
    expect(await guest.page.evaluate((path) => fetch(path).then(({ status }) => status), new URL(link).pathname)).toBe(
      404,
    );
  });
  await staff.context.close();
  await guest.context.close();
});
