/** A line of the Energy dashboard: what a meter counts costs the price that an entity has at that moment. */
export function gridWith(meter: string, price: string) {
  return {
    type: "grid",
    stat_energy_from: meter,
    stat_energy_to: null,
    stat_cost: null,
    entity_energy_price: price,
    number_energy_price: null,
    stat_compensation: null,
    entity_energy_price_export: null,
    number_energy_price_export: null,
    cost_adjustment_day: 0,
  };
}
