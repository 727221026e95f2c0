/** How steeply points rise: least squares, with the standard error that their scatter leaves. */

/**
 * @param {readonly (readonly [x: number, y: number])[]} points at least three
 */
export function slope(points) {
  const meanX = mean(points.map(([x]) => x));
  const meanY = mean(points.map(([, y]) => y));
  const spread = sum(points.map(([x]) => (x - meanX) ** 2));
  const rise = sum(points.map(([x, y]) => (x - meanX) * (y - meanY))) / spread;
  const rest = sum(points.map(([x, y]) => (y - meanY - rise * (x - meanX)) ** 2));
  return { slope: rise, error: Math.sqrt(rest / (points.length - 2) / spread) };
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}

/** @param {readonly number[]} values */
function mean(values) {
  return sum(values) / values.length;
}
