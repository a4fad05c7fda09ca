#!/usr/bin/env bash
# pintle detect at the edges of its files: nothing is written over what is read, and no file keeps it waiting.
#
#   detect_test.sh PINTLE SOURCE_FOLDER
set -euo pipefail
pintle=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
fail() {
  echo "detect_test: $*" >&2
  exit 1
}
mkdir pictures
cp "$source/docs/images/pad.jpg" pictures/pad.jpg
cp "$source/vision/camera_onboard.yaml" "$source/vision/circle.yaml" .
# a picture whose drawn copy would have its own name
"$pintle" detect --camera camera_onboard.yaml --circle circle.yaml --mode circle --draw first pictures/pad.jpg >/dev/null
cp first/pad.png pictures/pad.png
cp -r pictures kept
# expect CODE TEXT WORDS…
expect() {
  local code=$1 text=$2 status=0
  shift 2
  timeout 60 "$pintle" detect --camera camera_onboard.yaml --circle circle.yaml --mode circle "$@" >said 2>&1 || status=$?
  [[ $status == "$code" ]] || fail "$*: ended with $status, not $code: $(tail -3 said)"
  grep -qF -- "$text" said || fail "$*: said $(tail -3 said), not $text"
  diff -r kept pictures || fail "$*: the pictures are not as they were"
}

ln -s pictures link
expect 2 "name another one" --draw pictures pictures/pad.png
expect 2 "name another one" --draw pictures/ pictures/pad.jpg
expect 2 "name another one" --draw ./pictures/../pictures pictures/pad.png
expect 2 "name another one" --draw link pictures/pad.png
expect 2 "name another one" --draw pictures link/pad.png
status=0
(cd pictures && "$pintle" detect --camera ../camera_onboard.yaml --circle ../circle.yaml --mode circle --draw . pad.png) >said 2>&1 || status=$?
[[ $status == 2 ]] || fail "--draw . ended with $status"
diff -r kept pictures || fail "--draw . has written into it"
# a name in the folder that leads back to what is read
mkdir trap hard
ln -s ../pictures/pad.png trap/pad.png
ln pictures/pad.png hard/pad.png
expect 2 "leads to pictures/pad.png" --draw trap pictures/pad.png
expect 2 "leads to pictures/pad.png" --draw hard pictures/pad.png
mkdir files
ln -s ../circle.yaml files/pad.png
cp circle.yaml circle.kept
expect 2 "leads to circle.yaml" --draw files pictures/pad.jpg
cmp circle.yaml circle.kept || fail "the ring's file was written over"
expect 0 "" --draw out pictures/pad.jpg pictures/pad.png
[[ -e out/pad.png && -e out/pad_2.png ]] || fail "two pictures of one name are not two"

# files of the attitude that are none
mkfifo pipe
truncate -s 1G huge
expect 3 "expected a regular file" --attitude pipe pictures/pad.jpg
expect 3 "expected a regular file" --attitude /dev/zero pictures/pad.jpg
expect 3 "this is a folder" --attitude pictures pictures/pad.jpg
expect 3 "more than" --attitude huge pictures/pad.jpg
expect 3 "cannot open the file" --attitude none pictures/pad.jpg
printf 'image,roll_deg,pitch_deg\npad.jpg,0,0\n' >attitude.csv
expect 0 '"kind":"circle"' --attitude attitude.csv pictures/pad.jpg
printf 'pad.jpg,1,0\n' >>attitude.csv
expect 3 "attitude.csv:3: pad.jpg has a line already" --attitude attitude.csv pictures/pad.jpg

# pictures that are damaged, and what is none: a line each, the others go on
size=$(stat -c %s pictures/pad.jpg)
head -c $((size / 2)) pictures/pad.jpg >cut.jpg
expect 1 "cut.jpg: the picture is damaged or cut short" cut.jpg pictures/pad.jpg
grep -q '"image":"pictures/pad.jpg"' said || fail "the whole picture did not go on: $(cat said)"
! grep -q '"image":"cut.jpg"' said || fail "half a picture was searched: $(cat said)"
expect 1 "pictures: this is a folder" pictures
expect 2 "cut.jpg is no folder" --draw cut.jpg pictures/pad.jpg
expect 2 "cannot be made" --draw cut.jpg/out pictures/pad.jpg

# no playlists, no addresses
printf 'ffconcat version 1.0\nfile a.avi\n' >list.avi
printf '#EXTM3U\na.avi\n' >list.m3u8
expect 1 "a list of other files" --video list.avi
expect 1 "a list of other files" --video list.m3u8
expect 1 "addresses are not read" --video http://127.0.0.1:1/a.avi
expect 1 "there is no such file" --video none.avi
expect 1 "there is no such file" --video /dev/video_none
expect 1 "this is a folder" --video pictures
expect 1 "expected a video file" --video pipe
expect 1 "not a video" --video huge

# a stream without times: pictures have their numbers
cat pictures/pad.jpg pictures/pad.jpg pictures/pad.jpg >raw.mjpeg
expect 0 "3 pictures have no time" --video raw.mjpeg
grep -q '"image":"raw.mjpeg#2"' said || fail "the third picture is not numbered: $(cat said)"
! grep -q '"t_s"' said || fail "times of a stream that has none: $(cat said)"
expect 2 "--attitude" --video raw.mjpeg --attitude attitude.csv
expect 2 "name them instead" --video raw.mjpeg --attitude attitude.csv
expect 2 "--frames" --video raw.mjpeg --frames -1
expect 2 "requires --video" --frames 2 pictures/pad.jpg
expect 0 "raw.mjpeg#1" --video raw.mjpeg --frames 2
! grep -q 'raw.mjpeg#2' said || fail "more than two frames: $(cat said)"

# pintle calibrate: no picture that is read is written over, by whatever name
cp pictures/pad.png board.png
cp board.png board.kept
ln -s board.png board.link
ln board.png board.hard
for out in board.png ./board.png board.link board.hard; do
  status=0
  "$pintle" calibrate --overwrite --out "$out" pictures/pad.jpg board.png >said 2>&1 || status=$?
  [[ $status == 2 ]] || fail "calibrate --out $out: ended with $status: $(cat said)"
  grep -qF "leads to board.png, which is read" said || fail "calibrate --out $out: said $(cat said)"
  cmp board.png board.kept || fail "calibrate --out $out: wrote over a picture"
done

# scripts/vision_set: arguments before anything is drawn
for arguments in "x 3 set" "-1 3 set" "1 0 set" "1 x set" "1 -3 set" "1 3x set" "99999999999999999999 3 set" "1 9999999999 set" "1 3"; do
  status=0
  # shellcheck disable=SC2086 # words
  PINTLE_BUILD=none "$source/scripts/vision_set" $arguments >said 2>&1 || status=$?
  [[ $status == 2 ]] || fail "vision_set $arguments: ended with $status: $(cat said)"
  grep -qF "vision_set SEED COUNT FOLDER" said || fail "vision_set $arguments: said $(cat said)"
done
for taken in pictures board.png; do
  status=0
  PINTLE_BUILD=none "$source/scripts/vision_set" 1 3 "$taken" >said 2>&1 || status=$?
  [[ $status == 2 ]] || fail "vision_set into $taken: ended with $status: $(cat said)"
  grep -qF "new or empty folder" said || fail "vision_set into $taken: said $(cat said)"
done
diff -r kept pictures || fail "vision_set has touched a folder that held something"

# a start links nothing that only pictures or SDF need; where what has it is not there, that is said
if ldd "$pintle" | grep -E 'opencv|sdformat'; then fail "every verb waits for these libraries"; fi
mkdir alone
cp "$pintle" alone/pintle
pintle=$folder/alone/pintle
expect 4 "pintle-full is not there" pictures/pad.jpg
