import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentOnInput, LRLanguage, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { parser as cssParser } from '@lezer/css';
import { tags } from '@lezer/highlight';
import { parser as scriptParser } from '@lezer/javascript';

export type CodeLanguage = 'css' | 'javascript';

const LANGUAGES = {
  css: LRLanguage.define({ parser: cssParser }),
  javascript: LRLanguage.define({ parser: scriptParser }),
};

/** Colours of code are tokens, so that every theme has them. */
const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword, tags.definitionKeyword], color: 'var(--vip-text)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--positive-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.unit, tags.color, tags.atom], color: 'var(--warning-text)' },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.variableName)], color: 'var(--info-text)' },
  { tag: [tags.tagName, tags.className, tags.labelName, tags.typeName], color: 'var(--accent-text)' },
  { tag: tags.comment, color: 'var(--text-muted)', fontStyle: 'italic' },
  { tag: tags.invalid, color: 'var(--danger-text)' },
]);

const THEME = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--field-bg)', fontSize: 'var(--fs-2)', maxHeight: '30rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '2px' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)', lineHeight: '1.5', minHeight: '12rem' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--text-muted)', backgroundColor: 'var(--surface-1)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--surface-hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-line)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'var(--accent-soft)',
    outline: '1px solid var(--accent-line)',
  },
});

/**
 * Opens an editor for code below an element. In: the code, its language, the editor's name for assistive tools, and
 * what hears of every change. Tab leaves it, as it leaves every field. Out: closes it.
 */
export function openCodeEditor(
  parent: HTMLElement,
  given: { code: string; language: CodeLanguage; label: string; onChange: (code: string) => void },
): () => void {
  // Under the policy of the page the editor's styles need the nonce of the document; scripts alone can read it.
  const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: given.code,
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorView.contentAttributes.of({ 'aria-label': given.label, spellcheck: 'false' }),
        EditorView.updateListener.of(({ docChanged, state }) => docChanged && given.onChange(state.doc.toString())),
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        keymap.of([...defaultKeymap, ...historyKeymap]),
        LANGUAGES[given.language],
        syntaxHighlighting(HIGHLIGHT),
        THEME,
      ],
    }),
  });
  view.focus();
  return () => view.destroy();
}
