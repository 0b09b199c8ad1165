import { LONG } from "../support/long.ts";
import { describeRealSeasons } from "./true-season.ts";

describeRealSeasons(LONG ? [2014, 2015, 2016, 2017, 2018] : [2014]);
