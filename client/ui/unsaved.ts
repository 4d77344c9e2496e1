import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import { useBlocker } from 'react-router';
import { useT } from '#client/lib/i18n.tsx';
import { dialogs } from './dialogs.ts';

/** A form's values as text, for comparison. Files count by name. */
function formContent(form: HTMLFormElement): string {
  const entries = [...new FormData(form)].map(([name, value]) => [
    name,
    typeof value === 'string' ? value : value.name,
  ]);
  return JSON.stringify(entries);
}

/** Whether the form differs from its initial values. `markSaved` makes its current values the initial ones. */
export function useDirty(form: RefObject<HTMLFormElement | null>): { dirty: boolean; markSaved: () => void } {
  const first = useRef<string | null>(null);
  const [dirty, setDirty] = useState(false);
  const markSaved = useCallback(() => {
    if (form.current) first.current = formContent(form.current);
    setDirty(false);
  }, [form]);
  // A layout effect, so that what is typed before other effects have run is not taken for initial values.
  useLayoutEffect(() => {
    const element = form.current;
    if (!element) return;
    first.current ??= formContent(element);
    const note = (): void => setDirty(first.current !== formContent(element));
    // A reset empties the fields after its event.
    const noteLater = (): void => queueMicrotask(note);
    element.addEventListener('input', note);
    element.addEventListener('change', note);
    element.addEventListener('reset', noteLater);
    return () => {
      element.removeEventListener('input', note);
      element.removeEventListener('change', note);
      element.removeEventListener('reset', noteLater);
    };
  }, [form]);
  return { dirty, markSaved };
}

/**
 * Asks before leaving the page with unsaved changes; submissions pass. `bySearch`: another query is another page, where
 * it chooses the form that is shown.
 */
export function useUnsavedWarning(dirty: boolean, { bySearch = false }: { readonly bySearch?: boolean } = {}): void {
  const t = useT('ui');
  const blocker = useBlocker(
    useCallback(
      ({ currentLocation: from, nextLocation: to }) =>
        dirty && (from.pathname !== to.pathname || (bySearch && from.search !== to.search)),
      [dirty, bySearch],
    ),
  );
  useEffect(() => {
    if (blocker.state !== 'blocked') return;
    const options = {
      title: t('unsavedTitle'),
      text: t('unsavedText'),
      ok: t('unsavedLeave'),
      cancel: t('unsavedStay'),
    };
    void dialogs.confirm(options).then((leave) => (leave ? blocker.proceed() : blocker.reset()));
  }, [blocker, t]);
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [dirty]);
}
