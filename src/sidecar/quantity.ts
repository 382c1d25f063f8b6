/** Digits after the point that a quantity keeps: Kubernetes' smallest unit is nano. */
const scale = 1_000_000_000n;
const suffixes: Readonly<Record<string, bigint>> = {
  n: 1n,
  u: 1_000n,
  m: 1_000_000n,
  '': scale,
  k: scale * 10n ** 3n,
  M: scale * 10n ** 6n,
  G: scale * 10n ** 9n,
  T: scale * 10n ** 12n,
  P: scale * 10n ** 15n,
  E: scale * 10n ** 18n,
  Ki: scale * 2n ** 10n,
  Mi: scale * 2n ** 20n,
  Gi: scale * 2n ** 30n,
  Ti: scale * 2n ** 40n,
  Pi: scale * 2n ** 50n,
  Ei: scale * 2n ** 60n,
};

/**
 * A quantity divided by a divisor and rounded up, as the kubelet does for a `resourceFieldRef`: `1500m` by `1` is 2. Undefined if either is no
 * quantity or the divisor is zero.
 *
 * @see k8s.io/kubernetes pkg/api/v1/resource/helpers.go:convertResourceCPUToString
 */
export function dividedQuantity(quantity: string, divisor = '1'): bigint | undefined {
  const dividend = nanos(quantity);
  // @note An unset divisor is written as "0" by the API server, and means 1.
  const by = nanos(divisor) === 0n ? scale : nanos(divisor);
  if (dividend === undefined || by === undefined) return undefined;
  return (dividend + by - 1n) / by;
}

function nanos(text: string): bigint | undefined {
  const parts = /^\+?(\d*)(?:\.(\d*))?(?:([eE][+-]?\d{1,2})|([KMGTPE]i|[numkMGTPE])?)$/.exec(text.trim());
  if (!parts) return undefined;
  const [, whole = '', fraction = '', exponent, suffix = ''] = parts;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  const unit = suffixes[suffix] ?? scale;
  const power = (exponent === undefined ? 0 : Number(exponent.slice(1))) - fraction.length;
  return power >= 0 ? digits * unit * 10n ** BigInt(power) : (digits * unit) / 10n ** BigInt(-power);
}
