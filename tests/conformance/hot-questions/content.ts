import { createAnnouncementsRepo } from '#server/data/repos/announcements.ts';
import { createImagesRepo } from '#server/data/repos/images.ts';
import { createMailRepo } from '#server/data/repos/mail.ts';
import { createNotificationsRepo } from '#server/data/repos/notifications.ts';
import { createOwnMailsRepo } from '#server/data/repos/own-mails.ts';
import { TEST_START } from '#tests/support/clock.ts';
import { crowdId } from '#tests/support/crowd.ts';
import { SEEN_PLACE, type Ask, type Questions } from './question.ts';

const EVERYBODY = { roleId: null, locale: null, seenSinceMs: null, verified: false };
const mails =
  (ask: (repo: ReturnType<typeof createMailRepo>) => Promise<unknown>): Ask =>
  (db, raw) =>
    ask(createMailRepo(db, raw));

/** Of what is shown and sent: images, announcements, e-mails, notifications. */
export const CONTENT_QUESTIONS: Questions = {
  'a page of a user’s images, the newest first': {
    ask: (_, raw) =>
      createImagesRepo(raw).list(crowdId(1), { order: 'newest', search: '', after: SEEN_PLACE, limit: 25 }),
    reads: [
      'images USING INDEX images_of_user (user_id=? AND (created_ms,id)<(?,?))',
      'i',
      'o USING INDEX sqlite_autoindex_image_objects_1 (hash=?)',
    ],
  },
  'a page of a user’s images, the largest first': {
    ask: (_, raw) =>
      createImagesRepo(raw).list(crowdId(1), { order: 'largest', search: '', after: SEEN_PLACE, limit: 25 }),
    reads: [
      'images USING INDEX images_of_user (user_id=?)',
      'i',
      'o USING INDEX sqlite_autoindex_image_objects_1 (hash=?)',
    ],
  },
  'the next images of a user for their archive, the oldest first': {
    ask: (_, raw) => createImagesRepo(raw).listAll(crowdId(1), { createdMs: SEEN_PLACE.value, id: SEEN_PLACE.id }, 500),
    reads: [
      'i USING INDEX images_of_user (user_id=? AND (created_ms,id)>(?,?))',
      'o USING INDEX sqlite_autoindex_image_objects_1 (hash=?)',
    ],
  },
  'a page of the host’s library': {
    ask: (_, raw) => createImagesRepo(raw).listLibrary({ search: '', after: SEEN_PLACE, limit: 25 }),
    reads: [
      'library_images USING INDEX library_images_list ((created_ms,id)<(?,?))',
      'l',
      'o USING INDEX sqlite_autoindex_image_objects_1 (hash=?)',
      'u USING INDEX sqlite_autoindex_users_1 (id=?) LEFT-JOIN',
    ],
  },
  'a page of the board of announcements': {
    ask: (_, raw) =>
      createAnnouncementsRepo(raw).listBoard({
        userId: crowdId(1),
        nowMs: TEST_START,
        before: { ms: 5, id: 'a' },
        limit: 13,
      }),
    reads: [
      'a USING INDEX announcements_board (publish_ms<?)',
      't USING PRIMARY KEY (announcement_id=? AND target_id=?)',
      'users USING INDEX sqlite_autoindex_users_1 (id=?)',
      'servers USING INDEX servers_user (user_id=?)',
    ],
  },
  'unread announcements of a user': {
    ask: (_, raw) =>
      createAnnouncementsRepo(raw).listBoard({
        userId: crowdId(1),
        nowMs: TEST_START,
        unreadSinceMs: 5,
        before: null,
        limit: 99,
      }),
    reads: [
      'a USING INDEX announcements_board (publish_ms>? AND publish_ms<?)',
      't USING PRIMARY KEY (announcement_id=? AND target_id=?)',
      'users USING INDEX sqlite_autoindex_users_1 (id=?)',
      'servers USING INDEX servers_user (user_id=?)',
    ],
  },
  'a page of staff’s list of announcements': {
    ask: (_, raw) =>
      createAnnouncementsRepo(raw).listAll(
        { state: null, audience: null, search: '', nowMs: TEST_START },
        { ms: 5, id: 'a' },
        26,
      ),
    reads: ['a USING COVERING INDEX announcements_list ((created_ms,id)<(?,?))'],
  },
  'announcements that name a picture': {
    ask: (_, raw) => createAnnouncementsRepo(raw).listNaming(['a', 'b'], 50),
    reads: ['announcement_pictures USING COVERING INDEX announcement_pictures_picture (picture_id=?)'],
  },
  'the outbox': {
    ask: mails((repo) => repo.listOutbox({}, { createdMs: 5, id: 'm' }, 51)),
    reads: ['m USING INDEX mails_created ((created_ms,id)<(?,?))'],
  },
  'failed mails of a template': {
    ask: mails((repo) => repo.listOutbox({ state: 'failed', template: 'verify' }, null, 51)),
    reads: ['m USING INDEX mails_state (state=?)'],
  },
  'sent mails of a template': {
    ask: mails((repo) => repo.listOutbox({ state: 'sent', template: 'verify' }, null, 51)),
    reads: ['m USING INDEX mails_template (template=?)'],
  },
  'mails to whoever is called so': {
    ask: mails((repo) => repo.listOutbox({ search: 'ann', state: 'sent' }, null, 51)),
    reads: [
      'users USING INDEX sqlite_autoindex_users_2 (username_key=?)',
      'users USING INDEX sqlite_autoindex_users_3 (email_key=?)',
      'mails USING COVERING INDEX mails_address (address>? AND address<?)',
      'mails USING COVERING INDEX mails_user (user_id=?)',
      'm USING INDEX sqlite_autoindex_mails_1 (id=?)',
    ],
  },
  'figures of the outbox': {
    ask: mails(async (repo) => [await repo.count('sent', 1), await repo.oldest('queued', 1, 2)]),
    reads: ['mails USING COVERING INDEX mails_state (state=? AND created_ms>?)'],
  },
  'next users of a campaign': {
    ask: (db, raw) => createOwnMailsRepo(db, raw).listAudience(EVERYBODY, 'news', crowdId(5), 25),
    reads: [
      'u USING INDEX sqlite_autoindex_users_1 (id>?)',
      'o USING PRIMARY KEY (user_id=? AND kind=?)',
      'm USING COVERING INDEX mails_bounced (address=?)',
    ],
  },
  notifications: {
    ask: async (db, raw) => [
      await createNotificationsRepo(db, raw).latest('u', 20),
      await createNotificationsRepo(db, raw).unread('u'),
    ],
    reads: [
      'notifications USING INDEX notifications_of_user (user_id=?)',
      'notifications USING COVERING INDEX notifications_of_user (user_id=?)',
    ],
  },
};
