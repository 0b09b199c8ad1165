import { describe } from "vitest";
import { LONG } from "../support/long.ts";
import { describeRealSeasons } from "./true-season.ts";

describe.skipIf(!LONG)("long: VIGIE_TEST_LONG=1", () => {
  describeRealSeasons([2019, 2020, 2021, 2022, 2023, 2024]);
});
