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
