//! Files of stamps as a real job wrote them. What its author showed of them is here
//! to the letter; what he left out is filled in so that the ends and sums fit.

/// The first and last lines of the file with five stamps an event.
const FIRST_LINES: &str = "\
CSGOptiX__Create_HEAD:1706856131162134,1344488,702820
CSGOptiX__Create_TAIL:1706856133080141,8005220,1152840
QSim__simulate_HEAD:1706856261841716,10408836,3563396
QSim__simulate_PREL:1706856261862137,10703748,3563552
QSim__simulate_POST:1706856261873605,10703748,3565912
QSim__simulate_DOWN:1706856261876336,10706792,3567648
QSim__simulate_TAIL:1706856261876411,10706792,3567840
QSim__simulate_HEAD:1706856261907753,10707320,3570280
QSim__simulate_PREL:1706856261908198,10707320,3570284
QSim__simulate_POST:1706856261918355,10707320,3570284
QSim__simulate_DOWN:1706856261918881,10707320,3570284
QSim__simulate_TAIL:1706856261918925,10707320,3570384
QSim__simulate_HEAD:1706856262460651,10709564,3572520
QSim__simulate_PREL:1706856262461868,10709564,3572536
QSim__simulate_POST:1706856262471989,10709564,3572536
QSim__simulate_DOWN:1706856262472863,10709564,3572536
QSim__simulate_TAIL:1706856262472950,10709564,3572536
QSim__simulate_HEAD:1706856262506952,10711680,3574708
QSim__simulate_PREL:1706856262507408,10711680,3574720
QSim__simulate_POST:1706856262517386,10711680,3574720
";
const LAST_LINES: &str = "\
QSim__simulate_HEAD:1706856302966867,12892796,5755584
QSim__simulate_PREL:1706856302967647,12892796,5755668
QSim__simulate_POST:1706856302978336,12892796,5755668
QSim__simulate_DOWN:1706856302978816,12892796,5755668
QSim__simulate_TAIL:1706856302978861,12892796,5755668
QSim__simulate_HEAD:1706856303008511,12895052,5757844
QSim__simulate_PREL:1706856303009291,12895052,5757928
QSim__simulate_POST:1706856303018606,12895052,5757928
QSim__simulate_DOWN:1706856303019094,12895052,5757928
QSim__simulate_TAIL:1706856303019137,12895052,5757928
QSim__simulate_HEAD:1706856303047602,12897224,5760012
QSim__simulate_PREL:1706856303048400,12897224,5760096
QSim__simulate_POST:1706856303058612,12897224,5760096
QSim__simulate_DOWN:1706856303059093,12897224,5760096
QSim__simulate_TAIL:1706856303059137,12897224,5760096
QSim__simulate_HEAD:1706856303088191,12899444,5762232
QSim__simulate_PREL:1706856303088957,12899444,5762316
QSim__simulate_POST:1706856303098586,12899444,5762316
QSim__simulate_DOWN:1706856303099059,12899444,5762320
QSim__simulate_TAIL:1706856303099104,12899444,5762320
";

/// RSS at each event's first stamp minus that of the event before, in KiB.
pub const START_TO_START: [u64; 128] = [
    6884, 2240, 2188, 2332, 2148, 2228, 2180, 2236, 2248, 2220, 2172, 2244, 2220, 2176, 2208, 2108,
    2164, 2236, 2172, 2252, 2220, 2196, 2248, 2184, 2212, 2196, 2164, 2232, 2216, 2184, 2192, 2232,
    2212, 2208, 2256, 2268, 2272, 2260, 2180, 2232, 2092, 2192, 2132, 2128, 2152, 2132, 2172, 2116,
    2108, 2144, 2268, 2192, 2156, 2128, 2232, 2252, 2140, 2128, 2236, 2216, 2192, 2160, 2252, 2204,
    2168, 2244, 2244, 2132, 2144, 2240, 2192, 2200, 2248, 2236, 2252, 2200, 2200, 2124, 2096, 2144,
    2200, 2204, 2244, 2168, 2148, 2204, 2256, 2312, 2232, 2140, 2184, 2248, 2156, 2144, 2168, 2140,
    2208, 2228, 2204, 2184, 2180, 2176, 2156, 2160, 2188, 2188, 2280, 2188, 2148, 2248, 2260, 2236,
    2212, 2352, 2188, 2204, 2188, 2092, 2208, 2200, 2176, 2188, 2228, 2244, 2208, 2248, 2256, 2084,
];

/// RSS relative to the event's first stamp, in KiB: the first events, and those from
/// event 900 on.
pub const FIRST_ROWS: [[u64; 5]; 20] = [
    [0, 156, 2516, 4252, 4444],
    [0, 4, 4, 4, 104],
    [0, 16, 16, 16, 16],
    [0, 12, 12, 12, 116],
    [0, 12, 12, 12, 12],
    [0, 16, 16, 16, 112],
    [0, 16, 16, 16, 16],
    [0, 16, 16, 16, 112],
    [0, 16, 16, 16, 112],
    [0, 20, 20, 20, 20],
    [0, 16, 16, 16, 16],
    [0, 16, 16, 16, 112],
    [0, 16, 16, 16, 16],
    [0, 20, 20, 20, 20],
    [0, 16, 16, 16, 112],
    [0, 16, 16, 16, 104],
    [0, 16, 16, 16, 108],
    [0, 16, 16, 16, 108],
    [0, 20, 20, 20, 112],
    [0, 20, 20, 20, 112],
];
pub const LATE_ROWS: [[u64; 5]; 13] = [
    [0, 64, 64, 64, 64],
    [0, 64, 64, 64, 64],
    [0, 68, 68, 68, 68],
    [0, 68, 68, 68, 68],
    [0, 68, 68, 68, 68],
    [0, 64, 64, 64, 64],
    [0, 68, 68, 68, 68],
    [0, 64, 64, 64, 64],
    [0, 64, 64, 64, 64],
    [0, 68, 68, 68, 68],
    [0, 68, 68, 68, 68],
    [0, 68, 68, 68, 68],
    [0, 64, 64, 64, 64],
];
pub const LATE_FROM: usize = 900;

/// The same with two more stamps, in another run.
pub const SEVEN_ROWS: [[u64; 7]; 26] = [
    [0, 204, 2380, 4440, 4484, 6852, 6860],
    [0, 32, 32, 32, 132, 2200, 2264],
    [0, 0, 0, 0, 0, 2160, 2168],
    [0, 0, 0, 0, 100, 2304, 2316],
    [0, 0, 0, 0, 0, 1944, 2136],
    [0, 0, 0, 0, 92, 2116, 2208],
    [0, 0, 0, 0, 0, 2048, 2160],
    [0, 0, 0, 0, 92, 2152, 2216],
    [0, 0, 0, 0, 96, 2188, 2232],
    [0, 0, 0, 0, 0, 2084, 2204],
    [0, 0, 0, 0, 0, 2076, 2156],
    [0, 0, 0, 0, 92, 2200, 2228],
    [0, 0, 0, 0, 0, 2108, 2196],
    [0, 4, 4, 4, 4, 2108, 2160],
    [0, 0, 0, 0, 92, 1932, 2188],
    [0, 0, 0, 0, 88, 1928, 2088],
    [0, 0, 0, 0, 88, 1932, 2144],
    [0, 0, 0, 0, 92, 2200, 2220],
    [0, 0, 0, 0, 88, 1932, 2156],
    [0, 0, 0, 0, 92, 2200, 2232],
    [0, 0, 0, 0, 0, 2104, 2200],
    [0, 0, 0, 0, 0, 2108, 2180],
    [0, 0, 0, 0, 92, 2200, 2228],
    [0, 0, 0, 0, 0, 2104, 2164],
    [0, 0, 0, 0, 92, 1936, 2192],
    [0, 0, 0, 0, 0, 2108, 2164],
];

/// The beginning of the file in which stamps stand between settings.
const RUN_META: &str = "\
OPTICKS_OPTIX_PREFIX:/home/blyth/local/opticks/externals/OptiX_750
OPTICKS_EVENT_MODE:Hit
OPTICKS_CUDA_PREFIX:/usr/local/cuda-11.7
GPUMeta:1:NVIDIA_TITAN_RTX
QSim__Switches:CONFIG_Debug,NOT-CONFIG_RelWithDebInfo,NOT-CONFIG_Release,NOT-CONFIG_MinSizeRel,NOT-PRODUCTION,WITH_CHILD,WITH_CUSTOM4,PLOG_LOCAL,DEBUG_PIDX,DEBUG_TAG,
C4Version:TBD
SEvt__BeginOfRun:1706773751309994,10408748,3571356
SEvt__beginOfEvent_FIRST_EGPU:1706773751310085,10408748,3571356
SEvt__setIndex_A000:1706773751310208,10408748,3571360
SEvt__endIndex_A000:1706773751368214,10707316,3578172
SEvt__setIndex_A001:1706773751374769,10707316,3578244
";

pub const EVENTS: usize = 1000;
const FIVE: [&str; 5] = ["HEAD", "PREL", "POST", "DOWN", "TAIL"];
const FIRST_RSS_KIB: u64 = 3_563_396;
/// RSS at the first stamp of the fourth last event, the first of the last lines.
const LAST_SHOWN_RSS_KIB: u64 = 5_755_584;
const SHOWN_AT_THE_END: usize = 4;

/// 2 + 5 x 1000 stamps.
pub fn five_stamps() -> String {
    let mut lines: Vec<String> = FIRST_LINES.lines().take(2).map(String::from).collect();
    for (event, start) in starts_kib().into_iter().enumerate() {
        let row = five_row(event);
        for (stamp, name) in FIVE.iter().enumerate() {
            let time = 1_706_856_261_841_716 + event as u64 * 41_000 + stamp as u64 * 3000;
            let vm = 10_408_836 + event as u64 * 2492 / 4 * 4;
            let rss = start + row[stamp];
            lines.push(format!("QSim__simulate_{name}:{time},{vm},{rss}"));
        }
    }
    for (line, shown) in lines.iter_mut().zip(FIRST_LINES.lines()) {
        *line = shown.to_string();
    }
    for (line, shown) in lines.iter_mut().rev().zip(LAST_LINES.lines().rev()) {
        *line = shown.to_string();
    }
    lines.join("\n") + "\n"
}

/// Between what is shown at the start and at the end, differences of 2.2 MB that
/// jump about in a range of 0.2 MB.
fn starts_kib() -> Vec<u64> {
    let mut starts = vec![FIRST_RSS_KIB];
    for difference in START_TO_START {
        starts.push(starts[starts.len() - 1] + difference);
    }
    let shown = starts.len() - 1;
    let last = EVENTS - SHOWN_AT_THE_END;
    let gap = LAST_SHOWN_RSS_KIB - starts[shown];
    for event in shown + 1..EVENTS {
        let even = gap / 4 * (event - shown) as u64 / (last - shown) as u64 * 4;
        let jitter = if event == last {
            0
        } else {
            event as u64 * 37 % 26 * 4
        };
        starts.push(starts[shown] + even + jitter);
    }
    starts
}

fn five_row(event: usize) -> [u64; 5] {
    if let Some(row) = FIRST_ROWS.get(event) {
        return *row;
    }
    let late = event
        .checked_sub(LATE_FROM)
        .and_then(|late| LATE_ROWS.get(late));
    if let Some(row) = late {
        return *row;
    }
    let first = 16 + event as u64 * 64 / 1000 / 4 * 4;
    let more = if event.is_multiple_of(2) && event < LATE_FROM {
        32
    } else {
        0
    };
    [0, first, first, first, first + more]
}

/// 7 x 1000 stamps; the last line is renamed.
pub fn seven_stamps() -> String {
    let mut text = String::new();
    let mut start = FIRST_RSS_KIB;
    for event in 0..EVENTS {
        let row = seven_row(event);
        let names = FIVE.map(|name| format!("QSim__simulate_{name}"));
        let resets = ["QSim__reset_HEAD", "QSim__reset_TAIL"].map(String::from);
        for (stamp, name) in names.into_iter().chain(resets).enumerate() {
            let time = 1_706_860_000_000_000 + event as u64 * 41_000 + stamp as u64 * 3000;
            let vm = 10_408_836 + event as u64 * 2492 / 4 * 4;
            let last = if event + 1 == EVENTS && stamp == 6 {
                "_DUMMY_LAST"
            } else {
                ""
            };
            text += &format!("{name}{last}:{time},{vm},{}\n", start + row[stamp]);
        }
        start += row[6] + event as u64 % 3 * 4;
    }
    text
}

fn seven_row(event: usize) -> [u64; 7] {
    if let Some(row) = SEVEN_ROWS.get(event) {
        return *row;
    }
    let tail = event as u64 % 2 * 92;
    let reset = 2104 + event as u64 * 37 % 25 * 4;
    [0, 0, 0, 0, tail, reset, reset + 16 + event as u64 % 10 * 8]
}

/// Settings, then a stamp at the start and at the end of each event. The end comes
/// before the reset, and what is held there becomes less from event to event.
pub fn run_meta() -> String {
    let mut text = RUN_META.to_string();
    let mut start = 3_578_244;
    for event in 1..EVENTS as u64 {
        let time = 1_706_773_751_374_769 + event * 41_000;
        if event > 1 {
            text += &format!("SEvt__setIndex_A{event:03}:{time},10707316,{start}\n");
        }
        let end = start + 2100 - event * 2 / 5 + event * 37 % 26 * 4;
        text += &format!(
            "SEvt__endIndex_A{event:03}:{},10707316,{end}\n",
            time + 9000
        );
        start += 2148 + event * 53 % 26 * 4;
    }
    text
}
