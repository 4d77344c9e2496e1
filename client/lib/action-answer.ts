import { useState } from 'react';
import { useActionData, useLocation } from 'react-router';

/**
 * The result of the page's action, kept until the next navigation. The router itself drops it on every revalidation,
 * which a live page (useLive) may trigger at any moment: the message would be gone before anybody has read it.
 */
export function useActionAnswer<T>(): T | undefined {
  const answer = useActionData() as T | undefined;
  const { key } = useLocation();
  const [kept, keep] = useState({ key, answer });
  if (answer === undefined || answer === null) return kept.key === key ? kept.answer : undefined;
  if (kept.key !== key || kept.answer !== answer) keep({ key, answer });
  return answer;
}
