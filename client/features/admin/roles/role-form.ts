import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';

/** The properties of a role's form: the last result with its texts, and the labels of its fields. */
export function useRoleForm(result: FormResult<unknown> | undefined) {
  const t = useT('roles');
  const answer = useFormProps(result, ['name', 'color', 'rank', 'template', 'is_default']);
  return {
    ...answer,
    translateError: (code: string, field: string): string =>
      field === 'rank' && code === 'TOO_LARGE' ? t('rankTooHigh') : answer.translateError(code),
    labels: { name: t('name'), color: t('color'), rank: t('rank'), template: t('like'), is_default: t('default') },
  };
}
