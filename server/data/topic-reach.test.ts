import { expect, test } from 'bun:test';
import { ANNOUNCEMENTS_TOPIC } from '#server/modules/announcements/index.ts';
import { ATTENTION_TOPIC } from '#server/modules/attention/index.ts';
import { libraryTopic } from '#server/modules/images/index.ts';
import { imageTopic } from '#server/modules/images/deps.ts';
import { MAIL_TEXTS_TOPIC } from '#server/modules/mailing/ports.ts';
import { PLUGINS_TOPIC, RUNNING_TOPIC } from '#server/modules/plugins/index.ts';
import { TICKETS_TOPIC, TYPING_TOPIC, typingTopicOf } from '#server/modules/tickets/index.ts';
import { EVENTS_TOPIC } from '#server/modules/webhooks/deps.ts';
import { WEBHOOKS_TOPIC } from '#server/modules/webhooks/index.ts';
import { topicReach } from './topic-reach.ts';

test.each([
  ['own', ['jobs', EVENTS_TOPIC, 'settings.loaded', RUNNING_TOPIC]],
  [
    'soon',
    [
      'user:1',
      'servers:1',
      'notifications:1',
      'afk:1',
      TICKETS_TOPIC,
      'tickets:1',
      TYPING_TOPIC,
      typingTopicOf('1'),
      libraryTopic('1'),
      ANNOUNCEMENTS_TOPIC,
      'announcements:1',
      ATTENTION_TOPIC,
      'mail',
    ],
  ],
  [
    'commit',
    [
      'session:1',
      'rotated:1',
      'account:1',
      'token:1',
      'roles',
      'settings',
      'panels',
      'catalog',
      PLUGINS_TOPIC,
      WEBHOOKS_TOPIC,
      MAIL_TEXTS_TOPIC,
      imageTopic('1'),
      'redirect-links',
      // One that nobody has thought of is as safe as those.
      'new:1',
    ],
  ],
])('every topic reaches other processes as it has to: %s', (reach, topics) => {
  expect(topics.filter((topic) => topicReach(topic) !== reach)).toEqual([]);
});
