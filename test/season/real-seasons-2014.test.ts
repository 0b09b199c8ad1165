import { describeRealSeasons } from "./true-season.ts";

const isLong = Boolean(process.env["VIGIE_TEST_LONG"]);
describeRealSeasons(isLong ? [2014, 2015, 2016, 2017, 2018] : [2014]);
