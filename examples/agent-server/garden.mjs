// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The garden: what tools find in it. All of it is made up.

const PLANTS = ["beans", "leek", "chard", "fennel", "beetroot", "parsnips", "sorrel", "kale"];
const SIGHTS = ["two slugs under a leaf", "the straw has slipped", "a blackbird was here", "the label has faded", "the soil is loose and warm", "roots show at the edge"];

export function look(bed) {
  const rows = Array.from({ length: 6 + (bed % 5) }, (_, row) => {
    const n = bed * 31 + row * 17;
    return { row, plant: PLANTS[n % PLANTS.length], height: `${5 + (n % 40)} cm`, moisture: (n % 100) / 100, note: SIGHTS[n % SIGHTS.length] };
  });
  return { bed, rows };
}

export function water({ bed, litres }) {
  return `Bed ${bed} has got ${litres} litres.`;
}
