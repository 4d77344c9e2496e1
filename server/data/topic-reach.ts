import type { Topic } from '#server/modules/kernel.ts';

/** What concerns the process that published it alone: its own queue, its own copy of the settings, its own plugins. */
const OWN: ReadonlySet<Topic> = new Set(['jobs', 'webhooks:events', 'settings.loaded', 'plugins.running']);
/** What pages show: touched by nearly every command. What is not named here is what caches go by. */
const SHOWN: ReadonlySet<Topic> = new Set([
  'user',
  'servers',
  'notifications',
  'afk',
  'tickets',
  'typing',
  'images',
  'announcements',
  'attention',
  'mail',
]);

/**
 * How a topic reaches the other processes of an installation. `own`: not at all. `commit`: in the transaction that it
 * is touched in, so that whoever is killed right after the commit has said it. `soon`: with others, a moment after the
 * commit.
 */
export function topicReach(topic: Topic): 'own' | 'commit' | 'soon' {
  if (OWN.has(topic)) return 'own';
  const colon = topic.indexOf(':');
  return SHOWN.has(colon < 0 ? topic : topic.slice(0, colon)) ? 'soon' : 'commit';
}
