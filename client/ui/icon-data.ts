/** The drawing of an icon: the elements inside its `<svg viewBox="0 0 24 24">`. */
export interface IconData {
  readonly node: readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];
}

// Each icon's file exports its drawing beside a React component. The component is six times as slow on the
// server and writes a dozen attributes more, so the kit draws the icon itself. All icon files share one set
// of types, which leaves the drawing out; this adds it for all of them.
declare module 'lucide-react/icons/house' {
  export const __iconData: IconData;
}
