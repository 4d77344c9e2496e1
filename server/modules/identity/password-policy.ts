import { COMMON_PASSWORDS } from './common-passwords.ts';

/** Words that stay guessable whatever is appended to them. */
const BASE_WORDS: ReadonlySet<string> = new Set(
  'password passwort wachtwoord motdepasse contrasena parola qwerty qwertz azerty admin administrator welcome letmein iloveyou dragon monkey football baseball minecraft spawnpoint superman batman pokemon princess sunshine master login changeme secret default guest server hosting'.split(
    ' ',
  ),
);
/** Rows of the keyboard and the alphabet that passwords are typed along. */
const SEQUENCES = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
];
const NEIGHBOURS: ReadonlySet<string> = new Set(
  SEQUENCES.flatMap((row) => Array.from({ length: row.length - 1 }, (_, i) => row.slice(i, i + 2))).flatMap((pair) => [
    pair,
    `${pair[1]}${pair[0]}`,
  ]),
);
const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** From this share of neighbouring or equal characters (0 to 1) a password is a run. */
const RUN_SHARE = 0.8;
/** Characters that must remain of a password without the user's own names. */
const MIN_REMAINDER = 6;

/**
 * Whether a new password is one of those that are tried first (behaviour 3.1): on the list of common ones, a base word
 * with digits or signs around it, one short piece repeated, a run along the keyboard, or little more than the user's
 * own name or address. In: the password (at least ten characters) and the names it must not consist of.
 */
export function isCommonPassword(password: string, ownNames: readonly string[]): boolean {
  const lower = password.toLowerCase();
  const bare = lower.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const plain = Array.from(lower, (char) => LEET[char] ?? char).join('');
  const plainBare = plain.replaceAll(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const forms = [lower, bare, plain, plainBare, lower.replaceAll(/[\d\W_]+$/g, '')];
  if (forms.some((form) => COMMON_PASSWORDS.has(form))) return true;
  // Trailing digits may read as letters (`dragon1` as `dragonl`): the word is compared without them first.
  const word = Array.from(bare, (char) => LEET[char] ?? char).join('');
  if (BASE_WORDS.has(bare) || BASE_WORDS.has(word)) return true;
  return isRepetition(lower) || isRun(lower) || consistsOfNames(lower, ownNames);
}

/** One piece repeated (at most half the length), or at most three different characters. */
function isRepetition(text: string): boolean {
  if (new Set(text).size <= 3) return true;
  for (let length = 1; length <= Math.min(6, Math.floor(text.length / 2)); length += 1) {
    const piece = text.slice(0, length);
    if (piece.repeat(Math.ceil(text.length / length)).startsWith(text)) return true;
  }
  return false;
}

function isRun(text: string): boolean {
  let steps = 0;
  for (let i = 1; i < text.length; i += 1) {
    if (text[i] === text[i - 1] || NEIGHBOURS.has(text.slice(i - 1, i + 1))) steps += 1;
  }
  return steps / (text.length - 1) >= RUN_SHARE;
}

function consistsOfNames(text: string, ownNames: readonly string[]): boolean {
  let rest = text;
  for (const name of ownNames) {
    const part = name.toLowerCase();
    if (part.length >= 3) rest = rest.replaceAll(part, '');
  }
  return rest.length < text.length && rest.length < MIN_REMAINDER;
}
