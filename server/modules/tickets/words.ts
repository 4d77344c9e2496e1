/** The longest word that is kept, and how many a search may have. */
const WORD_MAX = 40;
const SEARCHED = 8;
/** Letters from which on a beginning is searched for: shorter ones fit too much. */
const BEGINNING_MIN = 3;
/** Letters that no accent can be taken off from. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
};

function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const folded = plain.replace(/[ßæœøđłıþ]/g, (letter) => LETTERS[letter] ?? letter);
  return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.slice(0, WORD_MAX));
}

/**
 * The words of a text as both engines keep and find them: in lower case, without accents and signs, with single spaces
 * between them. In: any text.
 */
export const toWords = (text: string): string => wordsOf(text).join(' ');

/** A word that is searched for, of letters and digits only; or what one begins with. */
export interface SearchedWord {
  readonly word: string;
  readonly isBeginning: boolean;
}

/**
 * What a search asks for: words that all have to be there, the last of them also as the beginning of one where no space
 * follows it. Out: none where the text has no word.
 */
export function toSearch(text: string): SearchedWord[] {
  const words = wordsOf(text).slice(0, SEARCHED);
  const isTyping = !/\s$/.test(text);
  return words.map((word, at) => ({
    word,
    isBeginning: isTyping && at === words.length - 1 && word.length >= BEGINNING_MIN,
  }));
}
