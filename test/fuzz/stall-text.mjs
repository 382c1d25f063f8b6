// A stall in words: as long as it counts, and what was measured.
export const stallText = ({ stallMs, wallMs, cpuMs }) =>
  `${stallMs.toFixed(0)} ms (${wallMs.toFixed(0)} ms passed, ${cpuMs.toFixed(0)} ms of them on the processor)`;
