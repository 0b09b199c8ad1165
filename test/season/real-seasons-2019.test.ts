import { LONG } from "../support/long.ts";
import { describeRealSeasons } from "./true-season.ts";

describeRealSeasons(LONG ? [2019, 2020, 2021, 2022, 2023, 2024] : [2024]);
