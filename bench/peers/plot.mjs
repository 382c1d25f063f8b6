// A plot as SVG: both axes logarithmic, one line for each series, legible on light and dark.
const width = 640;
const height = 360;
const edge = { left: 70, right: 150, top: 40, bottom: 50 };

const style = `<style>
:root { color-scheme: light dark; }
text { font: 12px sans-serif; fill: #1f2328; }
.title { font-weight: bold; }
.back { fill: #ffffff; }
.grid { stroke: #d1d9e0; fill: none; }
.line { stroke-width: 2; fill: none; }
.line.s0 { stroke: #0969da; } .dot.s0, .name.s0 { fill: #0969da; }
.line.s1 { stroke: #bc4c00; stroke-dasharray: 6 4; } .dot.s1, .name.s1 { fill: #bc4c00; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .back { fill: #0d1117; }
  .grid { stroke: #3d444d; }
  .line.s0 { stroke: #4493f8; } .dot.s0, .name.s0 { fill: #4493f8; }
  .line.s1 { stroke: #db6d28; } .dot.s1, .name.s1 { fill: #db6d28; }
}
</style>`;

const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');

function scale(values, from, to) {
  const least = Math.floor(Math.log10(Math.min(...values)));
  const most = Math.max(Math.ceil(Math.log10(Math.max(...values))), least + 1);
  const place = (value) => from + ((Math.log10(value) - least) / (most - least)) * (to - from);
  return { place, ticks: Array.from({ length: most - least + 1 }, (_, i) => 10 ** (least + i)) };
}

const lineHeight = 15;
const number = (value) => (value >= 1 ? String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ' ') : String(value));

/** Where the names of two lines stand, given where the lines end: never over each other. */
function namePlaces([first, second]) {
  if (second === undefined) return [first];
  const shift = Math.max(0, lineHeight - Math.abs(first - second)) / 2;
  return first <= second ? [first - shift, second + shift] : [first + shift, second - shift];
}

/** `series`: `[{ name, points: [[x, y], …] }]`, two at most. */
export function plot({ title, xTitle, yTitle, series }) {
  const all = series.flatMap(({ points }) => points);
  const x = scale(
    all.map(([value]) => value),
    edge.left,
    width - edge.right,
  );
  const y = scale(
    all.map(([, value]) => value),
    height - edge.bottom,
    edge.top,
  );
  const text = (left, top, anchor, words, more = '') =>
    `<text x="${left.toFixed(1)}" y="${top.toFixed(1)}" text-anchor="${anchor}"${more}>${escape(words)}</text>`;
  const line = (a, b, c, d) => `<path class="grid" d="M${a.toFixed(1)} ${b.toFixed(1)}L${c.toFixed(1)} ${d.toFixed(1)}"/>`;
  const grid = [
    ...y.ticks.flatMap((tick) => [
      line(edge.left, y.place(tick), width - edge.right, y.place(tick)),
      text(edge.left - 8, y.place(tick) + 4, 'end', number(tick)),
    ]),
    ...x.ticks.flatMap((tick) => [
      line(x.place(tick), edge.top, x.place(tick), height - edge.bottom),
      text(x.place(tick), height - edge.bottom + 18, 'middle', number(tick)),
    ]),
  ];
  const names = namePlaces(series.map(({ points }) => y.place(points.at(-1)[1])));
  const drawn = series.flatMap(({ name, points }, i) => {
    const placed = points.map(([a, b]) => [x.place(a), y.place(b)]);
    const [endX] = placed.at(-1);
    return [
      `<path class="line s${i}" d="M${placed.map((place) => place.map((value) => value.toFixed(1)).join(' ')).join('L')}"/>`,
      ...placed.map(([a, b]) => `<circle class="dot s${i}" cx="${a.toFixed(1)}" cy="${b.toFixed(1)}" r="3.5"/>`),
      text(endX + 10, names[i] + 4, 'start', name, ` class="name s${i}"`),
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(title)}">
${style}
<rect class="back" width="${width}" height="${height}"/>
${text(edge.left, 22, 'start', title, ' class="title"')}
${grid.join('\n')}
${text((edge.left + width - edge.right) / 2, height - 10, 'middle', xTitle)}
<text transform="translate(16 ${height / 2}) rotate(-90)" text-anchor="middle">${escape(yTitle)}</text>
${drawn.join('\n')}
</svg>
`;
}
