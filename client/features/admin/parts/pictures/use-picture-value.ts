import { useEffect, useRef, useState } from 'react';
import { useRestoredValue } from '#client/ui/field-context.ts';

/**
 * The id of a picture in a hidden field, which the form hears of as it hears of typing. In: name of the field, and what
 * it begins with; '': none. Out: the id, how it is set, and the ref of the hidden field.
 */
export function usePictureValue(name: string, initial: string) {
  const restored = useRestoredValue(name);
  const [id, setId] = useState(restored ?? initial);
  const hidden = useRef<HTMLInputElement>(null);
  const seen = useRef(id);
  // An effect, because the form reads its fields when it hears of input: the hidden one must have the new picture.
  useEffect(() => {
    if (seen.current === id) return;
    seen.current = id;
    hidden.current?.dispatchEvent(new Event('input', { bubbles: true }));
  }, [id]);
  return { id, setId, hidden };
}
