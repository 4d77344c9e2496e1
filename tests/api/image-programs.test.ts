import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';
import { codeOf } from '#tests/support/coins.ts';

setDefaultTimeout(300_000);

describe('programs that upload images', () => {
  let h: Harness;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'spawnpoint-images-'));
    h = await openHarness({ config: { dataDir: folder } });
    await h.set({ image_hosting_enabled: true });
  });
  afterAll(async () => {
    await h.close();
    rmSync(folder, { recursive: true, force: true });
  });

  interface Sxcu {
    readonly RequestURL: string;
    readonly RequestMethod: string;
    readonly Headers: Record<string, string>;
    readonly FileFormName: string;
    readonly URL: string;
    readonly ThumbnailURL: string;
    readonly DeletionURL: string;
    readonly ErrorMessage: string;
  }
  /** What ShareX makes of a template over an answer. */
  const fill = (template: string, answer: unknown): unknown =>
    (/^\{json:(.+)\}$/.exec(template)?.[1] ?? '')
      .split('.')
      .reduce<unknown>((value, name) => (value as Record<string, unknown> | undefined)?.[name], answer);
  const formOf = (...files: [name: string, body: BlobPart][]): FormData => {
    const form = new FormData();
    for (const [name, body] of files) form.append('file', new Blob([body]), name);
    return form;
  };
  const keyOf = async (by: Person): Promise<Sxcu> => JSON.parse((await by.api.images.createKey()).config.text) as Sxcu;
  const send = async (config: Sxcu, body: FormData | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    const answer = await h.http(new URL(config.RequestURL).pathname, {
      method: config.RequestMethod,
      headers: { ...config.Headers, ...headers },
      body,
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  test('ShareX uploads by its own config, whatever a file is called, and its addresses show and delete the image', async () => {
    const ann = await h.person('ann', { credits: 20 });
    const made = await ann.api.images.createKey();
    expect(made.config.filename).toBe('panel.example.com.sxcu');
    const config = JSON.parse(made.config.text) as Sxcu;
    expect(config).toMatchObject({
      Version: '16.0.0',
      DestinationType: 'ImageUploader',
      RequestURL: 'https://panel.example.com/api/images/upload',
      Body: 'MultipartFormData',
      Headers: { Authorization: `Bearer ${made.key}` },
    });
    expect(config.RequestURL).not.toContain('spu_');
    for (const name of ['shot.png', 'ü "quoted".png', '..\\..\\shot.png', '\u202Egnp.exe', 'no-ending', ' '])
      expect([name, (await send(config, formOf([name, pngOf(33)]))).status]).toEqual([name, 201]);
    const { body } = await send(config, formOf(['last.png', pngOf(44)]));
    const [url, thumbnail, deletion] = [config.URL, config.ThumbnailURL, config.DeletionURL].map((template) =>
      String(fill(template, body)),
    );
    expect(url).toBe(`https://panel.example.com/i/${String(body.id)}`);
    expect((await h.http(new URL(thumbnail ?? '').pathname)).status).toBe(200);
    expect(body.credits_left).toBe(13);
    const { pathname, searchParams } = new URL(deletion ?? '');
    expect(pathname).toBe(`/images/${String(body.id)}/delete`);
    const remove = (token: string) =>
      h.guest.images.deleteByToken({ params: { id: String(body.id) }, body: { token } });
    expect(await codeOf(remove('A'.repeat(43)))).toBe('NOT_FOUND');
    await remove(searchParams.get('token') ?? '');
    expect([await codeOf(remove(searchParams.get('token') ?? '')), await h.balance(ann.id)]).toEqual(['NOT_FOUND', 14]);
  });

  test('any HTTP client sends the file itself, and bad uploads say in words what is wrong', async () => {
    const bob = await h.person('bob', { credits: 1 });
    const config = await keyOf(bob);
    const raw = (body: Uint8Array<ArrayBuffer>, type = 'image/png') => send(config, body, { 'Content-Type': type });
    const said = async (sending: ReturnType<typeof send>) => {
      const { status, body } = await sending;
      return [status, body.error_code, fill(config.ErrorMessage, body)];
    };
    const texts = { format: expect.stringContaining('isn’t a PNG'), credits: expect.stringMatching(/\w{4}/) };
    expect(await said(raw(new TextEncoder().encode('<svg/>')))).toEqual([415, 'IMAGE_FORMAT', texts.format]);
    expect(await said(raw(pngOf(9), 'text/html'))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE', texts.credits]);
    expect(await said(send(config, formOf()))).toEqual([400, 'BAD_REQUEST', texts.credits]);
    expect(await said(send(config, formOf(['a', pngOf(9)], ['b', pngOf(8)])))).toEqual([
      400,
      'BAD_REQUEST',
      texts.credits,
    ]);
    expect((await raw(pngOf(70))).status).toBe(201);
    expect(await said(raw(pngOf(71)))).toEqual([402, 'INSUFFICIENT_CREDITS', texts.credits]);
    expect(await h.balance(bob.id)).toBe(0);
    await h.db.sql('UPDATE image_usage SET bytes = ? WHERE user_id = ?', [2 ** 30, bob.id]);
    await h.set({ image_quota_mb: 1, image_price: 0 });
    expect(await said(raw(pngOf(72)))).toEqual([507, 'IMAGE_QUOTA', texts.credits]);
    await h.set({ image_quota_mb: 500, image_price: 1 });
  });

  test('T35 an upload key uploads and does nothing else, and is of no use once replaced, removed or banned', async () => {
    const eve = await h.person('eve', { credits: 20 });
    const first = await keyOf(eve);
    expect((await send(first, formOf(['a.png', pngOf(12)]))).status).toBe(201);
    const key = first.Headers.Authorization ?? '';
    expect((await h.http('/api/images', { headers: { Authorization: key } })).status).toBe(401);
    expect((await eve.api.images.config()).key).toMatchObject({ tail: key.slice(-4) });
    expect(JSON.stringify(await h.db.sql('SELECT * FROM image_keys'))).not.toContain(key.slice('Bearer '.length));
    const second = await keyOf(eve);
    expect((await send(first, formOf(['a.png', pngOf(13)]))).body.error_code).toBe('IMAGE_KEY_UNKNOWN');
    expect((await send(second, formOf(['a.png', pngOf(13)]))).status).toBe(201);
    await h.db.sql("UPDATE users SET status = 'banned' WHERE id = ?", [eve.id]);
    expect((await send(second, formOf(['a.png', pngOf(14)]))).status).toBe(401);
    await h.db.sql("UPDATE users SET status = 'active' WHERE id = ?", [eve.id]);
    await eve.api.images.deleteKey();
    expect((await send(second, formOf(['a.png', pngOf(15)]))).status).toBe(401);
    expect(await codeOf(eve.api.images.deleteKey())).toBe('NOT_FOUND');
  });

  test('twenty uploads at once are twenty images and twenty credits', async () => {
    const tom = await h.person('tom', { credits: 25 });
    const config = await keyOf(tom);
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, at) => send(config, formOf([`${at}.png`, pngOf(16 + at)]))),
    );
    expect(sent.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    expect([await h.balance(tom.id), (await tom.api.images.list({})).space.images]).toEqual([5, 20]);
  });

  test('T41 what an owner words their card with is kept as text, within bounds', async () => {
    const ann = await h.person('wording', { credits: 5 });
    const embed = {
      enabled: true,
      title: '"><script>alert(1)</script>',
      description: 'a',
      author: '',
      color: '#3fb950',
    };
    await ann.api.images.setEmbed({ body: embed });
    expect((await ann.api.images.config()).embed).toEqual(embed);
    for (const wrong of [{ color: 'red;}' }, { title: 'x'.repeat(101) }, { author: 'a\nb' }])
      expect([wrong, await codeOf(ann.api.images.setEmbed({ body: { ...embed, ...wrong } }))]).toEqual([
        wrong,
        'VALIDATION_FAILED',
      ]);
  });
});
