import { useState } from 'react';
import { useActionData, useLocation } from 'react-router';

/**
 * What the page's action answered, until the next navigation. The router itself forgets it as soon as the page asks its
 * loader again, which a page that follows what happens (useLive) does at any moment: the words after a deed would be
 * gone before they are read.
 */
export function useActionAnswer<T>(): T | undefined {
  const answer = useActionData() as T | undefined;
  const { key } = useLocation();
  const [kept, keep] = useState({ key, answer });
  if (answer === undefined || answer === null) return kept.key === key ? kept.answer : undefined;
  if (kept.key !== key || kept.answer !== answer) keep({ key, answer });
  return answer;
}
