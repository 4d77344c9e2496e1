/** An element of one of Lucide's drawings. */
type DrawnElement = readonly [tag: string, attributes: Readonly<Record<string, string>>];

/**
 * The drawings behind names of Lucide's icons, each as the one path of an `<svg viewBox="0 0 24 24">`. Runs when the
 * code is bundled or loaded (a macro), so that neither page nor server includes Lucide, and an icon is one element
 * instead of up to seven. In: our name → Lucide's. Out: our name → path data. Throws for a name that Lucide does not
 * have, and for a drawing that is more than its lines.
 */
export function drawings<const N extends Readonly<Record<string, string>>>(
  names: N,
): { readonly [K in keyof N]: string } {
  const found = Object.entries(names).map(([name, file]) => {
    const { __iconData: icon } = import.meta.require(`lucide-react/icons/${file}`) as {
      __iconData: { node: readonly DrawnElement[] };
    };
    return [name, icon.node.map(pathOf).join('')];
  });
  return Object.fromEntries(found) as { readonly [K in keyof N]: string };
}

/** Path data that draws the same lines as an element. Throws for what a path cannot say. */
export function pathOf([tag, { d = '', points = '', fill, ...rest }]: DrawnElement): string {
  const size = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, Number(value)]));
  const { x = 0, y = 0, width = 0, height = 0, cx = 0, cy = 0, x1 = 0, y1 = 0, x2 = 0, y2 = 0 } = size;
  // A dot so small that the pen fills it: the only thing that Lucide fills.
  if (fill !== undefined && !(tag === 'circle' && (size.r ?? 0) <= 0.5)) throw new Error(`a filled ${tag} is no line`);
  if (tag === 'path') return absolute(d);
  if (tag === 'circle' || tag === 'ellipse') return oval(cx, cy, size.r ?? size.rx ?? 0, size.r ?? size.ry ?? 0);
  if (tag === 'line') return `M${x1} ${y1}L${x2} ${y2}`;
  if (tag === 'polyline') return `M${points.trim()}`;
  if (tag === 'polygon') return `M${points.trim()}z`;
  if (tag === 'rect') return box({ x, y, width, height, r: size.rx ?? size.ry ?? 0 });
  throw new Error(`<${tag}> is no line`);
}

/**
 * A path may begin with a small m as long as nothing comes before it; what follows its first point stays relative to
 * that.
 */
function absolute(d: string): string {
  const first = /^m\s*(-?[\d.]+?)(?:[\s,]+|(?=-))(-?\d*\.?\d+)[\s,]*/.exec(d);
  if (!first) {
    if (!d.startsWith('M')) throw new Error(`a path begins with ${d.slice(0, 10)}`);
    return d;
  }
  const rest = d.slice(first[0].length);
  return `M${first[1]} ${first[2]}${/^[-\d.]/.test(rest) ? 'l' : ''}${rest}`;
}

const oval = (cx: number, cy: number, rx: number, ry: number) =>
  `M${cx - rx} ${cy}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;

function box({ x, y, width, height, r }: { x: number; y: number; width: number; height: number; r: number }): string {
  if (r === 0) return `M${x} ${y}h${width}v${height}h${-width}z`;
  const [across, down] = [width - 2 * r, height - 2 * r];
  const corner = (dx: number, dy: number) => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  return `M${x + r} ${y}h${across}${corner(r, r)}v${down}${corner(-r, r)}h${-across}${corner(-r, -r)}v${-down}${corner(r, -r)}z`;
}
