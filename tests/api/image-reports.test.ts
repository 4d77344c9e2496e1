import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, spyOn, test } from 'bun:test';
import type { ApiError } from '#shared/contract/client.ts';
import { REPORTS_A_DAY, REPORTS_AT_ONCE, type ReportDecision } from '#shared/image-reports.ts';
import type { Permission } from '#shared/permissions.ts';
import { DAY, HOUR, MINUTE } from '#shared/time.ts';
import { solvePuzzle } from '#tests/support/challenge.ts';
import { ENGINES } from '#tests/support/db.ts';
import { openHarness, type Harness, type Person } from '#tests/support/harness.ts';
import { pngOf } from '#tests/support/pictures.ts';

setDefaultTimeout(300_000);

const fault = (call: Promise<unknown>): Promise<string | null> =>
  call.then(
    () => null,
    (error: ApiError) => error.code,
  );
const ALL: readonly Permission[] = [
  'admin.image.reports.list',
  'admin.image.reports.view',
  'admin.image.reports.edit',
  'admin.image.reports.delete',
];

describe.each(ENGINES)('reports of images on %s', (engine) => {
  let h: Harness;
  let made = 0;
  let staff: Person;
  beforeAll(async () => {
    h = await openHarness({ engine, tasks: 'images.' });
  });
  beforeEach(async () => {
    // Nobody's limit is used up by another test, and no session of another test has expired.
    h.clock.advance(HOUR);
    await h.set({ image_hosting_enabled: true, image_price: 0, image_report_days: 365, altcha_cost: 100 });
    staff = await h.person(`staff${(made += 1)}`, { permissions: ALL });
  });
  afterAll(() => h.close());

  const player = (): Promise<Person> => h.person(`player${(made += 1)}`);
  const upload = async (by: Person, picture = (made += 1)) =>
    (
      await by.api.images.upload({
        query: { upload: crypto.randomUUID() },
        body: pngOf(20 + (picture >> 8), 30, picture),
      })
    ).image;
  const answerOf = async (by: Person): Promise<string> =>
    solvePuzzle((await by.api.challenge.offer({ query: { action: 'report' } })).puzzle);
  const report = async (by: Person, image: string, more: { details?: string; challenge?: string } = {}) =>
    by.api.imageReports.create({
      body: { image, reason: 'violence', details: '', challenge: await answerOf(by), ...more },
    });
  /** All reports of a state: more than one page of them may have been left by other tests. */
  const list = async (query: { state?: 'open' | 'deleted' | 'hidden'; page?: string } = { state: 'open' }) =>
    (await staff.api.adminImageReports.list({ query: { per_page: '100', ...query } })).rows;
  /** The report of an image that waits. */
  const reportOf = async (imageId: string): Promise<string> => {
    const rows = (await staff.api.adminImageReports.list({ query: { per_page: '100' } })).rows;
    return rows.find((row) => row.image_id === imageId)?.id ?? 'none';
  };
  const decide = (id: string, decision: ReportDecision, by = staff) =>
    by.api.adminImageReports.decide({ params: { id }, body: { decision } });
  const status = async (url: string) => (await h.http(new URL(url).pathname)).status;
  const bell = async (of: Person) =>
    (await of.api.notifications.list()).notifications
      .map(({ kind }) => kind)
      .filter((kind) => kind.startsWith('image'));
  /** An image of a player that another reported. */
  async function reported(details = '') {
    const [owner, reporter] = [await player(), await player()];
    const picture = (made += 1);
    const image = await upload(owner, picture);
    const { id: complaint } = await report(reporter, image.link, { details });
    return { owner, reporter, image, picture, complaint, id: await reportOf(image.id) };
  }

  test('T42 a report takes work even where no other challenge is on, and each answer lets one through', async () => {
    const [owner, ann] = [await player(), await player()];
    const [one, other] = [await upload(owner), await upload(owner)];
    const send = (image: string, challenge?: string) =>
      fault(
        ann.api.imageReports.create({
          body: { image, reason: 'spam', details: '', ...(challenge === undefined ? {} : { challenge }) },
        }),
      );
    expect(await send(one.id)).toBe('CHALLENGE_REQUIRED');
    expect(await send(one.id, await answerOf(owner))).toBe('CHALLENGE_FAILED');
    const solved = await answerOf(ann);
    // What is not there costs nothing.
    expect(await send('A'.repeat(22), solved)).toBe('NOT_FOUND');
    expect([await send(one.id, solved), await send(other.id, solved)]).toEqual([null, 'CHALLENGE_FAILED']);
    expect(await send('https://elsewhere.example/picture.png', solved)).toBe('VALIDATION_FAILED');
  });

  test('a visitor without a session reports an image by the address of its file, and reads what becomes of it', async () => {
    const owner = await player();
    const image = await upload(owner);
    const headers = { Origin: 'http://127.0.0.1', 'Content-Type': 'application/json' };
    const offered = await h.http('/api/challenge?action=report', { headers });
    const cookie = offered.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const { puzzle } = (await offered.json()) as { puzzle: string };
    const body = { image: image.url, reason: 'copyright', details: '', challenge: await solvePuzzle(puzzle) };
    const sent = await h.http('/api/image-reports', {
      method: 'POST',
      headers: { ...headers, Cookie: cookie },
      body: JSON.stringify(body),
    });
    const { id } = (await sent.json()) as { id: string };
    expect([sent.status, (await h.guest.imageReports.get({ params: { id } })).state]).toEqual([200, 'open']);
    await decide(await reportOf(image.id), 'delete');
    expect((await h.guest.imageReports.get({ params: { id } })).state).toBe('deleted');
    expect(await fault(h.guest.imageReports.get({ params: { id: 'B'.repeat(22) } }))).toBe('NOT_FOUND');
  });

  test('T42 the same person counts once, many are one report, and a flood of one is refused', async () => {
    const [owner, ann, bob] = [await player(), await player(), await player()];
    const image = await upload(owner);
    const ids = await Promise.all([report(ann, image.id), report(ann, image.id), report(ann, image.id)]);
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
    h.clock.advance(MINUTE);
    await report(bob, image.id, { details: 'It shows my house.' });
    const id = await reportOf(image.id);
    const { report: found, complaints } = await staff.api.adminImageReports.get({ params: { id } });
    expect([found.complaints, complaints.map(({ reporter }) => reporter)]).toEqual([2, [ann.username, bob.username]]);
    expect(complaints[1]?.details).toBe('It shows my house.');
    const flooder = await player();
    const { id: sent } = await report(flooder, image.id);
    await h.db.uow.run(async (tx) => {
      const first = await tx.imageReports.findComplaint(sent);
      if (!first) throw new Error('nothing was reported');
      for (let count = 1; count < REPORTS_A_DAY; count += 1)
        await tx.imageReports.addComplaint({
          ...first,
          id: `${sent.slice(0, 19)}${100 + count}`,
          imageId: `i${count}`,
        });
    });
    const late = await upload(owner);
    expect(await fault(report(flooder, late.id))).toBe('RATE_LIMITED');
    h.clock.advance(DAY + MINUTE);
    expect(await fault(report(flooder, late.id))).toBe(null);
  });

  test('hiding keeps an image from everybody, rejecting shows it again, and everybody concerned is notified', async () => {
    const { owner, reporter, image, complaint, id } = await reported();
    await decide(id, 'hide');
    expect([await status(image.url), await fault(h.guest.images.get({ params: { id: image.id } }))]).toEqual([
      404,
      'NOT_FOUND',
    ]);
    expect((await owner.api.images.list({ query: {} })).rows[0]?.hidden).toBe(true);
    expect([await bell(owner), await bell(reporter)]).toEqual([['imageHidden'], ['imageReportUpheld']]);
    expect(await fault(report(await player(), image.id))).toBe('NOT_FOUND');
    expect(await fault(decide(id, 'hide'))).toBe('REPORT_CLOSED');
    await decide(id, 'reject');
    expect([
      await status(image.url),
      (await reporter.api.imageReports.get({ params: { id: complaint } })).state,
    ]).toEqual([200, 'rejected']);
    expect([(await bell(owner)).toSorted(), (await bell(reporter)).toSorted()]).toEqual([
      ['imageHidden', 'imageShown'],
      ['imageReportRejected', 'imageReportUpheld'],
    ]);
    for (const decision of ['hide', 'delete', 'reject'] as const)
      expect(await fault(decide(id, decision))).toBe('REPORT_CLOSED');
    // The same reporter has been answered; another opens it anew.
    expect((await report(reporter, image.id)).id).toBe(complaint);
    await report(await player(), image.id);
    expect((await list()).filter((row) => row.image_id === image.id)).toHaveLength(1);
  });

  test('a deleted image does not come back: every copy goes, its upload is refused and costs nothing', async () => {
    const [ann, bob, cat] = [await player(), await player(), await player()];
    const [first, copy] = [await upload(ann, 4711), await upload(bob, 4711)];
    const { id: complaint } = await report(cat, first.id);
    await report(ann, copy.id);
    const copyReport = await reportOf(copy.id);
    await h.set({ image_price: 1 });
    await h.creditPerson(cat.id, 5);
    await decide(await reportOf(first.id), 'delete');
    expect([await status(first.url), await status(copy.url)]).toEqual([404, 404]);
    expect([(await bell(ann)).toSorted(), await bell(bob), await bell(cat)]).toEqual([
      ['imageRemoved', 'imageReportUpheld'],
      ['imageRemoved'],
      ['imageReportUpheld'],
    ]);
    expect((await cat.api.imageReports.get({ params: { id: complaint } })).state).toBe('deleted');
    expect((await staff.api.adminImageReports.get({ params: { id: copyReport } })).report.state).toBe('deleted');
    expect([await fault(upload(cat, 4711)), await h.balance(cat.id)]).toEqual(['IMAGE_BLOCKED', 5]);
    const params = { id: copyReport };
    expect((await staff.api.adminImageReports.get({ params })).blocked).toBe(true);
    await staff.api.adminImageReports.allow({ params });
    expect(await fault(staff.api.adminImageReports.allow({ params }))).toBe('NOT_FOUND');
    expect([await fault(upload(cat, 4711)), await h.balance(cat.id)]).toEqual([null, 4]);
  });

  test('T9 staff who decide at once decide once, and uploads at the same moment leave no image behind', async () => {
    const { reporter, image, id } = await reported();
    const decisions = ['delete', 'delete', 'reject', 'hide', 'delete'] as const;
    const codes = await Promise.all(decisions.map((decision) => fault(decide(id, decision))));
    const { state } = (await staff.api.adminImageReports.get({ params: { id } })).report;
    expect(codes.filter((code) => code === null).length).toBeLessThanOrEqual(2);
    expect(['deleted', 'rejected']).toContain(state);
    expect(await status(image.url)).toBe(state === 'deleted' ? 404 : 200);
    expect((await bell(reporter)).length).toBeLessThanOrEqual(2);
    const racing = await reported();
    const picture = racing.picture;
    const owners = await Promise.all([player(), player(), player()]);
    await Promise.all([
      decide(racing.id, 'delete'),
      ...owners.map((owner) => fault(upload(owner, picture))),
      h.host.services.images.moderation.removeBlocked(),
    ]);
    await h.drainJobs();
    for (const owner of owners) expect((await owner.api.images.list({ query: {} })).rows).toEqual([]);
  });

  test('T9 several reports are decided at once, each by itself, and staff who do so together decide each once', async () => {
    const decideMany = (ids: readonly string[], decision: ReportDecision, by = staff) =>
      by.api.adminImageReports.decideMany({ body: { ids: [...ids], decision } });
    const [one, two, three] = [await reported(), await reported(), await reported()];
    await decide(three.id, 'reject');
    const ids = [one.id, one.id, two.id, three.id];
    const nobody = crypto.randomUUID();
    const lister = await h.person(`lister${(made += 1)}`, { permissions: ['admin.image.reports.list'] });
    expect([
      await fault(decideMany(ids, 'hide', lister)),
      await fault(decideMany([], 'hide')),
      await fault(
        decideMany(
          Array.from({ length: REPORTS_AT_ONCE + 1 }, () => crypto.randomUUID()),
          'hide',
        ),
      ),
    ]).toEqual(['FORBIDDEN', 'VALIDATION_FAILED', 'VALIDATION_FAILED']);
    expect([await status(one.image.url), await bell(one.reporter)]).toEqual([200, []]);
    expect(await decideMany([...ids, nobody], 'hide')).toMatchObject({
      done: 2,
      refused: [
        { id: three.id, code: 'REPORT_CLOSED' },
        { id: nobody, code: 'NOT_FOUND' },
      ],
    });
    expect([await status(one.image.url), await status(two.image.url), await status(three.image.url)]).toEqual([
      404, 404, 200,
    ]);
    expect(await bell(one.reporter)).toEqual(['imageReportUpheld']);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        decideMany(index % 2 ? [one.id, two.id] : [two.id, one.id], index < 4 ? 'delete' : 'reject'),
      ),
    );
    expect(answers.reduce((sum, { done }) => sum + done, 0)).toBe(2);
    for (const { id, image } of [one, two]) {
      const { state } = (await staff.api.adminImageReports.get({ params: { id } })).report;
      expect([state, await status(image.url)]).toEqual(state === 'deleted' ? ['deleted', 404] : ['rejected', 200]);
    }
  });

  test('where deciding on several breaks off, the answer says which were decided and which were not', async () => {
    const ids = [(await reported()).id, (await reported()).id, (await reported()).id];
    const { moderation } = h.host.services.images;
    const hide = moderation.setHidden;
    let calls = 0;
    const broken = spyOn(moderation, 'setHidden').mockImplementation(async (...given) => {
      if ((calls += 1) === 2) throw new Error('disk is full');
      return hide(...given);
    });
    const { done, refused } = await staff.api.adminImageReports.decideMany({ body: { ids, decision: 'hide' } });
    broken.mockRestore();
    expect([done, refused]).toEqual([1, ids.slice(1).map((id) => ({ id, code: 'SERVER_ERROR' }))]);
    const states = ids.map(async (id) => (await staff.api.adminImageReports.get({ params: { id } })).report.state);
    expect(await Promise.all(states)).toEqual(['hidden', 'open', 'open']);
  });

  test('a deletion that was decided stands, although clearing away its copies breaks off', async () => {
    const { id } = await reported();
    const broken = spyOn(h.host.services.images.moderation, 'removeBlocked').mockRejectedValue(
      new Error('disk is full'),
    );
    await decide(id, 'delete');
    broken.mockRestore();
    expect((await staff.api.adminImageReports.get({ params: { id } })).report.state).toBe('deleted');
  });

  test('T9 two reports of one content that are deleted together are both decided', async () => {
    const apart = await reported();
    const [ann, bob, cat] = [await player(), await player(), await player()];
    const [first, copy] = [await upload(ann, 4712), await upload(bob, 4712)];
    await report(cat, first.link);
    await report(cat, copy.link);
    const [one, other] = [await reportOf(first.id), await reportOf(copy.id)];
    await decide(apart.id, 'delete');
    const { done, refused } = await staff.api.adminImageReports.decideMany({
      body: { ids: [one, other, apart.id], decision: 'delete' },
    });
    expect([done, refused]).toEqual([2, [{ id: apart.id, code: 'REPORT_CLOSED' }]]);
    expect([await status(first.url), await status(copy.url)]).toEqual([404, 404]);
    expect([await bell(cat), await bell(ann)]).toEqual([['imageReportUpheld', 'imageReportUpheld'], ['imageRemoved']]);
  });

  test('the deletion of copies goes on where it was broken off', async () => {
    const [ann, bob] = [await player(), await player()];
    const [first, copy] = [await upload(ann, 815), await upload(bob, 815)];
    const { moderation } = h.host.services.images;
    await h.db.uow.run(async (tx) => moderation.block(tx, (await tx.images.find(first.id))?.object.hash ?? ''));
    expect(await status(copy.url)).toBe(200);
    h.clock.advance(10 * MINUTE);
    await h.drainJobs();
    expect([await status(first.url), await status(copy.url)]).toEqual([404, 404]);
  });

  test('banning takes the right to that as well, and comes before the deletion', async () => {
    const { owner, image, id } = await reported();
    const ban = (by: Person) =>
      by.api.adminImageReports.ban({ params: { id }, body: { reason: 'Violent pictures', days: 0 } });
    expect([await fault(ban(staff)), await status(image.url)]).toEqual(['FORBIDDEN', 200]);
    const chief = await h.person(`chief${made}`, { permissions: [...ALL, 'admin.users.edit', 'admin.root'] });
    await ban(chief);
    expect([
      await status(image.url),
      (await staff.api.adminImageReports.get({ params: { id } })).owner?.banned,
    ]).toEqual([404, true]);
    expect(await fault(owner.api.images.list({ query: {} }))).not.toBe(null);
    // Once more is no harm: somebody deleted it first, and the ban was still to come.
    expect(await fault(ban(chief))).toBe(null);
  });

  test('a fault after the ban says that the image is still there, and banning once more deletes it', async () => {
    const { image, id } = await reported();
    const chief = await h.person(`chief${made}`, { permissions: [...ALL, 'admin.users.edit', 'admin.root'] });
    const ban = () =>
      fault(chief.api.adminImageReports.ban({ params: { id }, body: { reason: 'Violent pictures', days: 0 } }));
    await h.db.sql('ALTER TABLE image_objects RENAME TO image_objects_away');
    const broken = await ban();
    await h.db.sql('ALTER TABLE image_objects_away RENAME TO image_objects');
    const { owner } = await staff.api.adminImageReports.get({ params: { id } });
    expect([broken, owner?.banned, await status(image.url)]).toEqual(['BAN_INCOMPLETE', true, 200]);
    expect([await ban(), await status(image.url)]).toEqual([null, 404]);
  });

  test('T24 T59 staff see the image of a report by the right to view, and nobody else by its address', async () => {
    const { owner, id } = await reported();
    await decide(id, 'hide');
    const path = `/api/admin/image-reports/${id}/picture/medium`;
    const as = async (person: Person | null) =>
      h.http(path, { headers: person ? { Cookie: `__Host-spawnpoint=${person.secret}` } : {} });
    const shown = await as(staff);
    expect([shown.status, shown.headers.get('content-type'), shown.headers.get('x-content-type-options')]).toEqual([
      200,
      'image/webp',
      'nosniff',
    ]);
    expect(shown.headers.get('cache-control')).toContain('private');
    const lister = await h.person(`lister${made}`, { permissions: ['admin.image.reports.list'] });
    expect([(await as(null)).status, (await as(owner)).status, (await as(lister)).status]).toEqual([401, 403, 403]);
  });

  test('a decided report can be deleted, one that waits cannot, and notes stay with staff', async () => {
    const { id } = await reported('details');
    const params = { id };
    await staff.api.adminImageReports.note({ params, body: { note: 'Ask the owner first.' } });
    expect((await staff.api.adminImageReports.get({ params })).report.note).toBe('Ask the owner first.');
    expect(await fault(staff.api.adminImageReports.remove({ params }))).toBe('REPORT_OPEN');
    await decide(id, 'reject');
    await staff.api.adminImageReports.remove({ params });
    expect(await fault(staff.api.adminImageReports.get({ params }))).toBe('NOT_FOUND');
  });

  test('reports that wait are listed oldest first, count in the overview, and outlive their image', async () => {
    const { owner, image, id } = await reported();
    const waiting = await list();
    expect(waiting.map(({ created_at: at }) => at)).toEqual(waiting.map(({ created_at: at }) => at).toSorted());
    const overview = await h.person(`over${made}`, {
      permissions: ['admin.dashboard.view', 'admin.image.reports.list'],
    });
    const { items } = await overview.api.adminAttention.list();
    expect(items.find(({ key }) => key === 'imageReports')?.count).toBe(waiting.length);
    await owner.api.images.deleteMany({ body: { ids: [image.id] } });
    const found = await staff.api.adminImageReports.get({ params: { id } });
    expect([found.image, found.report.state, await fault(decide(id, 'hide'))]).toEqual([null, 'open', 'NOT_FOUND']);
    await decide(id, 'delete');
    expect((await list({ state: 'deleted' })).some((row) => row.id === id)).toBe(true);
  });

  test('T56 what somebody said of images is in their copy, and loses its words and its author with the account', async () => {
    const { reporter, complaint, id } = await reported('he sells my pictures');
    const { image_reports: said } = await h.db.uow.read((tx) => tx.exports.sections(reporter.id));
    expect(said).toEqual([
      expect.objectContaining({ id: complaint, reason: 'violence', details: 'he sells my pictures' }),
    ]);
    const user = await h.db.uow.read((tx) => tx.identity.findUser(reporter.id));
    const gone = { username: 'gone', email: 'gone@example.invalid', roleId: user?.roleId ?? '' };
    await h.db.uow.run((tx) => tx.deletions.erase(reporter.id, gone, h.clock.now()));
    const [row] = await h.db.sql('SELECT reporter_id, details FROM image_complaints WHERE id = ?', [complaint]);
    expect(row).toEqual({ reporter_id: null, details: '' });
    expect(await list()).toContainEqual(expect.objectContaining({ id }));
  });

  test('T56 decided reports go after the days of the setting, with what was said; those that wait stay', async () => {
    const [decided, waiting, hidden] = [await reported('a detail'), await reported(), await reported()];
    await decide(decided.id, 'delete');
    await decide(hidden.id, 'hide');
    const purge = () => h.host.services.tasks.find(({ name }) => name === 'imageReports.purge')?.run();
    const left = async (table: string, ids: readonly string[]) =>
      (await h.db.sql<{ id: string }>(`SELECT id FROM ${table}`, [])).filter(({ id }) => ids.includes(id)).length;
    const reports = () => left('image_reports', [decided.id, waiting.id, hidden.id]);
    const complaints = () => left('image_complaints', [decided.complaint, waiting.complaint, hidden.complaint]);
    await h.set({ image_report_days: 30 });
    h.clock.advance(29 * DAY);
    await purge();
    expect([await reports(), await complaints()]).toEqual([3, 3]);
    h.clock.advance(2 * DAY);
    await purge();
    expect([await reports(), await complaints(), await left('image_reports', [decided.id])]).toEqual([2, 2, 0]);
    // Its content stays refused.
    const again = await player();
    expect(await fault(upload(again, decided.picture))).toBe('IMAGE_BLOCKED');
  });
});
