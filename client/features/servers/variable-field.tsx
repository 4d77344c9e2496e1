import { useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Field } from '#client/ui/field.tsx';
import { Select } from '#client/ui/select.tsx';
import { TextInput } from '#client/ui/text-input.tsx';
import type { VariableView } from '#shared/contract/server-views.ts';
import { checkRules, hasPatterns, type MatchPattern } from '#shared/egg-rules.ts';

/** The pattern engine, loaded when the first field with a pattern loses focus. Without it the server checks. */
let matcher: MatchPattern | undefined;
async function loadMatcher(): Promise<void> {
  matcher = await import('#shared/egg-matcher.ts').then(
    ({ matchPattern }) => matchPattern,
    () => undefined,
  );
}

interface VariableProps {
  /** Name of the field in its form. */
  name: string;
  variable: VariableView;
  /** The initial value. */
  value: string;
  onValue?: (value: string) => void;
}

/**
 * One variable of an egg. Its rules are checked on blur, as the server does; the error disappears while typing. Rules
 * that only the panel can check are listed, so that no error does not seem to mean valid.
 */
export function VariableField({ name, variable, value, onValue }: VariableProps): ReactNode {
  const t = useT('servers');
  const live = useT('live');
  const text = useErrorText();
  const [code, setCode] = useState<string | null>(null);
  const latest = useRef('');
  const withPatterns = async (now: string): Promise<void> => {
    await loadMatcher();
    // The value may have changed in the meantime.
    if (latest.current === now) setCode(checkRules(variable.rules, now, matcher).code);
  };
  const check = (now: string): void => {
    latest.current = now;
    const found = checkRules(variable.rules, now, matcher).code;
    if (found === null && !matcher && hasPatterns(variable.rules)) void withPatterns(now);
    else setCode(found);
  };
  const optional = checkRules(variable.rules, '').code === null;
  const unchecked = variable.unchecked.length > 0 ? live('unchecked', { rules: variable.unchecked.join(', ') }) : '';
  const hint = [variable.description, unchecked].filter(Boolean).join(' ');
  const common = {
    label: variable.name,
    name,
    optional,
    ...(hint ? { hint } : {}),
    ...(code === null ? {} : { error: text.field(code) }),
  };
  if (variable.kind === 'select' || variable.kind === 'switch') {
    const words: Readonly<Record<string, string>> = variable.kind === 'switch' ? { '0': t('off'), '1': t('on') } : {};
    const options = variable.options.map((option) => ({ value: option, label: words[option] ?? option }));
    const known = variable.options.includes(value);
    return (
      <Field {...common}>
        <Select
          options={options}
          defaultValue={value}
          onChange={(event) => onValue?.(event.currentTarget.value)}
          {...(known && !optional ? {} : { placeholder: '–' })}
        />
      </Field>
    );
  }
  return (
    <Field {...common}>
      <TextInput
        defaultValue={value}
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        {...(variable.kind === 'number' ? { inputMode: 'numeric' } : {})}
        onBlur={(event) => check(event.currentTarget.value)}
        onInput={(event) => {
          onValue?.(event.currentTarget.value);
          if (code !== null) check(event.currentTarget.value);
        }}
      />
    </Field>
  );
}
