import { expect, test } from 'bun:test';
import { ALL_NAMESPACES, textsOf } from '#tests/support/texts.ts';

/**
 * Words a language does not use, because it has another one for the same thing. A browser's storage and addresses of
 * the web are none of it.
 */
const FORBIDDEN = [
  {
    locale: 'de',
    why: 'disk is Speicherplatz: Speicher alone may be RAM',
    word: /(?<![\p{L}])(?:Speicher|Festplatten?speicher|Arbeitsspeicher)(?![\p{L}])/u,
    but: ['debug'],
  },
  {
    locale: 'ro',
    why: 'a panel is a panou',
    word: /(?<![\p{L}/.{])panel(?:ul|ului|uri|urile|urilor)?(?![\p{L}}]|\.[a-z])/iu,
    but: [],
  },
  {
    locale: 'md',
    why: 'a panel is a panou',
    word: /(?<![\p{L}/.{])panel(?:ul|ului|uri|urile|urilor)?(?![\p{L}}]|\.[a-z])/iu,
    but: [],
  },
  {
    locale: 'fr',
    why: 'a location is an emplacement',
    word: /(?<!en |au )\blieux?\b(?! sûr)|\blocalisations?\b/iu,
    but: [],
  },
] as const;

test.each(FORBIDDEN.map((each) => [each.locale, each] as const))(
  'Screen 21 one thing has one word in every text (%s)',
  (locale, { word, but, why }) => {
    const ours: readonly string[] = but;
    const wrong = ALL_NAMESPACES.filter((ns) => !ours.includes(ns)).flatMap((ns) =>
      Object.entries(textsOf(locale, ns)).flatMap(([key, text]) =>
        word.test(String(text)) ? [`${ns}:${key} ${String(text)}`] : [],
      ),
    );
    expect(wrong, why).toEqual([]);
  },
);

test('Screen 21 the search sees what it looks for, and leaves addresses and longer words alone', () => {
  const [de, ro, , fr] = FORBIDDEN.map(({ word }) => word);
  for (const text of ['Mehr Speicher', 'Speicher: 3 GB']) expect(de?.test(text)).toBe(true);
  for (const text of ['Speichern', 'Mehr Speicherplatz', 'gespeichert']) expect(de?.test(text)).toBe(false);
  for (const text of ['Panelul a refuzat', 'în panel.', 'din panel']) expect(ro?.test(text)).toBe(true);
  for (const text of ['https://panel.example.com', '{{panel}}: x', 'Panoul']) expect(ro?.test(text)).toBe(false);
  for (const text of ['Nom et lieu', 'Lieux', 'une localisation']) expect(fr?.test(text)).toBe(true);
  for (const text of ['Garde-les en lieu sûr.', 'un emplacement', 'géolocalisation'])
    expect(fr?.test(text)).toBe(false);
});

/**
 * Words that English texts do not use: private English, and second words for a thing that has one. `but` names the
 * namespaces where the word means something else.
 */
const NOT_ENGLISH: readonly {
  readonly why: string;
  readonly word: RegExp;
  readonly wrong: string;
  readonly but?: readonly string[];
}[] = [
  {
    why: 'an e-mail is an e-mail',
    word: /\b(?:the|new|newer|another|this|a) letter\b(?! first)/iu,
    wrong: 'A letter is on its way',
  },
  {
    why: 'mail is e-mail, except for the mail server',
    word: /(?<!e-)\bmails?\b(?! server)/iu,
    wrong: 'A mail was sent',
  },
  { why: 'an order is cancelled', word: /\bg(?:i|a)ven? up\b/iu, wrong: 'You gave this order up. Given up' },
  { why: 'what is added is a bonus', word: /\bon top\b/iu, wrong: '5 credits on top' },
  { why: 'what differs is corrected automatically', word: /\bput right\b/iu, wrong: 'Put right in the panel' },
  { why: 'a server is reinstalled', word: /\banew\b/iu, wrong: 'Install anew' },
  { why: 'the panel has a state', word: /\bpanel sa(?:id|ys)\b/iu, wrong: 'The panel said' },
  { why: 'what somebody has to do needs attention', word: /\bneeds somebody\b/iu, wrong: 'Needs somebody' },
  { why: 'the audit log', word: /\baudit trail\b/iu, wrong: 'Stands in the audit trail' },
  { why: 'players are found', word: /\blook-?up\b/iu, wrong: 'Look-up' },
  {
    why: 'a user (staff’s view) or a player (their own)',
    word: /\bpeople\b|\bbuyers?\b/iu,
    wrong: 'people who buy',
    but: ['system'],
  },
  { why: 'turn on, turn off', word: /\bswitch(?:ed)? (?:it )?o(?:n|ff)\b/iu, wrong: 'Switched off' },
  { why: 'a time expires', word: /\br[au]ns? out\b/iu, wrong: 'It ran out' },
  { why: 'a statement lists transactions', word: /\bmovements?\b/iu, wrong: 'No movements yet' },
  { why: 'a reward is on hold', word: /\bheld\b/iu, wrong: 'held for review' },
  {
    why: 'a refund, or credits removed',
    word: /\b(?:take|taken|took|give|given|gave) (?:it )?back\b/iu,
    wrong: 'Taken back',
  },
  { why: 'a payment provider', word: /\bgateway\b/iu, wrong: 'The gateway refused' },
  { why: 'an ID', word: /(?<!\{)\bId\b|(?<![\w{])id\b(?!\})/u, wrong: 'Id at the panel' },
  { why: 'one waits in the queue, or on the waiting list', word: /\bin line\b/iu, wrong: 'number 3 in line' },
  {
    why: 'a node, as Pterodactyl says; this machine is the one that serves',
    word: /(?<!\bthis )\bmachine\b/iu,
    wrong: 'Its machine is dead',
    but: ['system', 'panels', 'errors', 'permissions', 'health', 'machine'],
  },
  {
    why: 'a location is somewhere, it does not stand there',
    word: /\bstands? (?:at|here|in|there|on)\b/iu,
    wrong: 'It stands here',
    but: ['system'],
  },
];

test('Words English texts keep to one word for one thing, and to no private English', () => {
  const wrong = ALL_NAMESPACES.flatMap((ns) =>
    Object.entries(textsOf('en', ns)).flatMap(([key, text]) =>
      NOT_ENGLISH.flatMap(({ word, why, but = [] }) =>
        !but.includes(ns) && word.test(String(text)) ? [`${ns}:${key} ${String(text)} (${why})`] : [],
      ),
    ),
  );
  expect(wrong).toEqual([]);
});

test.each(NOT_ENGLISH.map((each) => [each.wrong, each] as const))('Words the search sees “%s”', (wrong, { word }) => {
  expect(word.test(wrong)).toBe(true);
});
